/** Texts that would run a script where a page shows them as markup. */
export const hostileTexts: readonly string[] = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '"><svg onload="window.hacked = 1">',
  'javascript:window.hacked=1',
  '</text></svg><script>window.hacked = 1</script>',
]
