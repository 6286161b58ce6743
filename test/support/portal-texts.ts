/** Texts that would run a script, load something or lead away where a page shows them as markup or as an address. */
export const hostileTexts: readonly string[] = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '"><svg onload="window.hacked = 1">',
  'javascript:window.hacked=1',
  '</text></svg><script>window.hacked = 1</script>',
  '\'"--><img src=https://evil.example/x>',
  '<a href="jAvAsCrIpT:window.hacked=1">x</a>',
  '<iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>',
  '<base href=https://evil.example/>',
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
  '<style>@import "https://evil.example/x.css"</style>',
  '<input autofocus onfocus="alert(1)">',
  '<math><a xlink:href="javascript:window.hacked=1">x',
  '{{constructor.constructor("window.hacked = 1")()}}',
  '#{window.hacked = 1} <%= window.hacked = 1 %>',
  '&lt;script&gt;window.hacked = 1&lt;/script&gt;',
  'data:text/html,<script>window.hacked=1</script>',
  '\u202Egnp.exe\u202C\u2066\u200B',
  'W'.repeat(180),
  '__proto__',
]

/** As many of the texts as fit, after a mark by which they are found again. Each mark begins with another text. */
export function hostileText(mark: string, maxLength: number): string {
  const start = Buffer.from(mark).reduce((sum, each) => sum + each, 0) % hostileTexts.length
  const turned = [...hostileTexts.slice(start), ...hostileTexts.slice(0, start)]
  return turned.reduce(
    (text, each) => (text.length + 1 + each.length <= maxLength ? `${text} ${each}` : text),
    mark,
  )
}
