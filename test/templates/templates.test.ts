import { afterAll, describe, expect, test } from '@jest/globals'
import { createTemplates, type Step, type Templates } from '../../operator/templates/templates.ts'

const templates = createTemplates({ timeoutMs: 20_000 })
/** For work that never ends. */
const hasty = createTemplates({ timeoutMs: 500 })
afterAll(() => Promise.all([templates.close(), hasty.close()]))

const text = (template: unknown): Step => ({ name: 'given', template, reads: 'text' })
const yaml = (template: unknown): Step => ({ name: 'given', template, reads: 'yaml' })

async function render(step: Step, data: object = {}, by: Templates = templates): Promise<unknown> {
  const results = await by.render('acme', [step], data as Record<string, unknown>)
  return results.given
}

describe('steps', () => {
  test('later ones see the results of earlier ones', async () => {
    const results = await templates.render(
      'acme',
      [
        { name: 'init', template: 'name: {{ .id }}-db\nsize: 3', reads: 'yaml', as: 'init' },
        { name: 'outputs', template: 'name: {{ .init.name }}', reads: 'yaml', as: 'outputs.values' },
        { name: 'url', template: 'https://{{ .outputs.values.name }}:{{ add .init.size 1 }}', reads: 'text' },
      ],
      { id: 'abc' },
    )
    expect(results).toEqual({
      init: { name: 'abc-db', size: 3 },
      outputs: { name: 'abc-db' },
      url: 'https://abc-db:4',
    })
  })

  test('one does not change the data of another', async () => {
    const results = await templates.render(
      'acme',
      [
        text('{{ $_ := set .m "a" 2 }}{{ .m.a }}'),
        { name: 'after', template: '{{ .m.a }} {{ .extra }}', reads: 'text', besides: { extra: 'x' } },
      ],
      { m: { a: 1 } },
    )
    expect(results).toEqual({ given: '2', after: '1 x' })
  })

  test.each<[rule: string, template: unknown, expected: unknown]>([
    ['a text is rendered, then read', 'a: {{ .n }}\nb: "{{ .n }}"', { a: 5, b: '5' }],
    ['a text that gives nothing', '{{ if .no }}a: 1{{ end }}', undefined],
    ['texts within data are templates', { a: { b: ['{{ .s }}-x'] } }, { a: { b: ['web-x'] } }],
    ['keys too', { '{{ .s }}': 1 }, { web: 1 }],
    ['a number stays one', { a: '{{ .n }}' }, { a: 5 }],
    ['quoted, it is text', { a: '{{ .n | quote }}' }, { a: '5' }],
    ['lists and maps are JSON', { a: '{{ .l | toJson }}' }, { a: [1, 'x'] }],
    ['or as YAML', { a: '{{ toYaml .l }}' }, { a: [1, 'x'] }],
    [
      'text that reading would change stays text',
      { a: '{{ .zeros }}', b: '{{ .s }} # 1', c: '{{ .e }}' },
      { a: '0012', b: 'web # 1', c: '1e3' },
    ],
    ['text that is not YAML stays text', { a: '{{ .bad }}' }, { a: '@x: [' }],
    ['a text without an action is kept', { a: '0644', b: 'true' }, { a: '0644', b: 'true' }],
  ])('%s', async (_, template, expected) => {
    const data = { n: 5, s: 'web', l: [1, 'x'], zeros: '0012', e: '1e3', bad: '@x: [', no: false }
    expect(await render(yaml(template), data)).toEqual(expected)
  })

  test('documents in the data of a manifest are read', async () => {
    const template = { both: { location: 'namespace', data: 'a: {{ .n }}\n---\nb: 2\n---\n' } }
    expect(await render({ name: 'given', template, reads: 'manifests' }, { n: 1 })).toEqual({
      both: { location: 'namespace', data: [{ a: 1 }, { b: 2 }] },
    })
  })
})

describe('a template error names template, line, column and reason, never the data', () => {
  test.each<[rule: string, step: Step, expected: RegExp]>([
    ['syntax', text('a\n{{ if }}'), /^template 'given' line 2 column 7: /],
    [
      'an unknown function',
      text('{{ uper .s }}'),
      /^template 'given' line 1 column 4: function "uper".*upper/,
    ],
    [
      'an argument of the wrong type',
      text('{{ upper .n }}'),
      /line 1 column 4: 'upper' takes string as argument 1/,
    ],
    ['the message of the author', text('{{ required "give a name" .none }}'), /'required' says: give a name/],
    ['invalid YAML', yaml('a: [{{ .s }}'), /^template 'given': is not YAML at line \d/],
    ['a text within data', yaml({ a: ['{{ fail "no" }}'] }), /^template 'given.a.0' line 1 column 4/],
    ['invalid JSON', text('{{ fromJson .s }}'), /^template 'given' line 1 column 4: 'fromJson'/],
    ['a function of the library', text('{{ semver .s }}'), /^template 'given' line 1 column 4: 'semver'/],
    ['a date', text('{{ toDate "2006-01-02" .s }}'), /^template 'given' line 1 column 4: 'toDate'/],
  ])('%s', async (_, step, expected) => {
    const failing = render(step, { s: 'hush-hush', n: 1 })
    await expect(failing).rejects.toMatchObject({
      reason: 'Invalid',
      message: expect.stringMatching(expected),
    })
    await expect(failing).rejects.not.toMatchObject({ message: expect.stringContaining('hush') })
  })
})

const shared = '{{ $x := list "a" }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}'

describe('hostile templates', () => {
  const mebibyte = '{{ repeat 1000 (repeat 1000 "x") }}'

  test.each<[rule: string, step: Step]>([
    ['of many texts', yaml(Array.from({ length: 6 }, () => mebibyte))],
    ['of many keys', yaml(Array.from({ length: 6 }, (_, i) => ({ [`${i}${mebibyte}`]: 1 })))],
    ['of many references to one value', yaml(Array.from({ length: 20 }, () => '{{ .long }}'))],
  ])('results %s', async (_, step) => {
    const data = { long: `a: &a ["${'x'.repeat(10_000)}"]\nb: [${'*a,'.repeat(40)}]` }
    await expect(render(step, data)).rejects.toMatchObject({
      reason: 'TooLarge',
      message: "templates 'given' give more than 5242880 characters",
    })
  })

  test('results of many steps', async () => {
    const steps = Array.from({ length: 6 }, (_, i) => ({ ...text(mebibyte), name: `step${i}` }))
    await expect(templates.render('acme', steps, {})).rejects.toMatchObject({ reason: 'TooLarge' })
  })

  test.each<[rule: string, template: string, reason: string]>([
    ['work without end', '{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}', 'TooSlow'],
    [
      'memory without end',
      '{{ $l := list }}{{ range until 100000 }}{{ $l = append $l (until 100000) }}{{ end }}',
      'TooLarge',
    ],
    [
      'a template that calls itself',
      '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
      'Invalid',
    ],
    ['deep nesting', `{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}`, 'Invalid'],
    ['a long text', '{{ repeat 100000000 "x" }}', 'Invalid'],
    ['a long list', '{{ until 100000000 }}', 'Invalid'],
    ['a list of steps', '{{ untilStep 0 1000000000 1 }}', 'Invalid'],
    ['a sequence', '{{ seq 1000000000 }}', 'Invalid'],
    ['a count', '{{ range 100000000000 }}{{ end }}', 'Invalid'],
    ['a large output', '{{ range until 2000 }}{{ repeat 1000 "x" }}{{ end }}', 'Invalid'],
    [
      'texts that double',
      '{{ $x := "x" }}{{ range until 60 }}{{ $x = cat $x $x }}{{ end }}{{ $x }}',
      'Invalid',
    ],
    [
      'lists that double',
      '{{ $x := list 1 2 }}{{ range until 60 }}{{ $x = concat $x $x }}{{ end }}',
      'Invalid',
    ],
    ['a small value that prints endlessly', `${shared}{{ $x }}`, 'Invalid'],
    ['as JSON', `${shared}{{ toJson $x }}`, 'Invalid'],
    ['as YAML', `${shared}{{ toYaml $x }}`, 'Invalid'],
    ['as a copy', `${shared}{{ deepCopy $x }}`, 'Invalid'],
    ['a value that holds itself', '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $d }}', 'Invalid'],
    ['as JSON', '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ toJson $d }}', 'Invalid'],
    ['a wide column', '{{ printf "%1000000000d" 1 }}', 'Invalid'],
    ['a wide indent', '{{ indent 1000000000 "a" }}', 'Invalid'],
    ['a large replacement', '{{ replace "" (repeat 100000 "y") (repeat 100000 "x") }}', 'Invalid'],
    ['a large join', '{{ join (repeat 100000 "x") (until 1000) }}', 'Invalid'],
    ['much chance', '{{ randAlphaNum 1000000000 }}', 'Invalid'],
    ['a large expression', '{{ regexMatch "((a{1000}){1000}){1000}" "a" }}', 'Invalid'],
    [
      'aliases of aliases',
      '{{ fromYaml "a: &a [x,x,x,x,x,x,x,x]\\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\\nd: [*c,*c,*c,*c,*c,*c,*c,*c]" }}',
      'Invalid',
    ],
  ])('%s', async (_, template, reason) => {
    const by = reason === 'TooSlow' ? hasty : templates
    await expect(render(text(template), {}, by)).rejects.toMatchObject({ reason })
    expect(await render(text('{{ .n }}'), { n: 1 }, by)).toBe('1')
  })

  test('an expression that other engines take exponential time for takes little', async () => {
    expect(await render(text('{{ regexMatch "(a+)+$" (printf "%sb" (repeat 50000 "a")) }}'))).toBe('false')
  })
})

describe('many at once', () => {
  test('no template leaves too little memory for later ones of others', async () => {
    const nested = (i: number) => `{{ ${'(print '.repeat(400)}${i}${')'.repeat(400)} }}`
    for (let i = 0; i < 20; i += 1) expect(await render(text(nested(i)))).toBe(String(i))
  })

  test('each gets its own results, in spite of failures of others', async () => {
    const all = Array.from({ length: 40 }, (_, i) => {
      return i === 20
        ? render(text('{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}'), {}, hasty)
        : render(text('{{ .i }}'), { i }, hasty)
    })
    const settled = await Promise.allSettled(all)
    const expected = settled.map((_, i) => (i === 20 ? 'rejected' : String(i)))
    expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : each.status))).toEqual(expected)
  })

  test('too many are refused', async () => {
    const few = createTemplates({ waiting: 2 })
    const settled = await Promise.allSettled([1, 2, 3, 4].map((i) => render(text('{{ .i }}'), { i }, few)))
    await few.close()
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
    expect(settled[3]).toMatchObject({ reason: { reason: 'Busy' } })
  })

  test('the queue is fair to organizations: none waits for all slow ones of another', async () => {
    const slow = createTemplates({ timeoutMs: 100, waiting: 20 })
    const ended: string[] = []
    const call = async (organization: string, name: string, template: string) => {
      const outcome = await slow.render(organization, [text(template)], {}).then(
        () => name,
        ({ reason }: { reason: string }) => `${name}: ${reason}`,
      )
      ended.push(outcome)
    }
    const endless = '{{ range 50000 }}{{ range 50000 }}{{ end }}{{ end }}'
    const calls = Array.from({ length: 21 }, (_, i) => call('acme', `slow ${i + 1}`, endless))
    calls.push(call('acme', 'slow 22', endless))
    calls.push(call('globex', 'quick 1', 'x'), call('globex', 'quick 2', 'x'), call('initech', 'other', 'x'))
    await Promise.all(calls.slice(-3))
    await slow.close()
    await Promise.all(calls)
    const expected = ['slow 22: Busy', 'slow 1: TooSlow', 'quick 1', 'other', 'slow 2: TooSlow', 'quick 2']
    expect(ended.slice(0, 6)).toEqual(expected)
  })

  test('a cancelled call is not begun', async () => {
    const failing = templates.render('acme', [text('x')], {}, AbortSignal.abort(new Error('too late')))
    await expect(failing).rejects.toThrow('too late')
  })

  test('after a while without a call, a new thread is started', async () => {
    const brief = createTemplates({ idleMs: 1 })
    expect(await render(text('a'), {}, brief)).toBe('a')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await render(text('b'), {}, brief)).toBe('b')
    await brief.close()
  })
})

describe('objects that are not done yet', () => {
  const object = {
    kind: 'Database',
    metadata: { name: 'x' },
    status: { host: 'h', port: 0, conditions: [{ type: 'Ready', status: 'True' }] },
  }

  test.each<[template: string, expected: string]>([
    ['{{ await .object "status.host" }}', 'h'],
    ['{{ await .object "status.port" }}', '0'],
    ['{{ await .object "status.conditions.0.type" }}', 'Ready'],
    ['{{ if awaitCondition .object "Ready" }}yes{{ end }}', 'yes'],
  ])('%s', async (template, expected) => {
    expect(await render(text(template), { object })).toBe(expected)
  })

  test.each<[template: string, message: string]>([
    ['{{ await .object "status.address" }}', "waiting for 'status.address' of Database 'x'"],
    ['{{ await .other "data.password" }}', "waiting for 'data.password' of an object that is not there"],
    ['{{ awaitCondition .object "Synced" }}', "waiting for the condition 'Synced' of Database 'x'"],
    ['{{ await .object "constructor.name" }}', "waiting for 'constructor.name' of Database 'x'"],
  ])('%s waits', async (template, message) => {
    await expect(render(text(template), { object })).rejects.toMatchObject({ reason: 'NotYet', message })
  })
})
