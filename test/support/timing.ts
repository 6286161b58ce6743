/** Something that holds on a machine with time to spare: one of three tries is such a time. */
export async function oneOfThree(work: () => Promise<void>): Promise<void> {
  await work()
    .catch(() => work())
    .catch(() => work())
}

/** The least processor time of several tries, in milliseconds: what else the machine does does not count. */
export function leastMs(tries: number, work: () => unknown): number {
  const times = Array.from({ length: tries }, () => {
    const begun = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(begun)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

/** The slower part of the times tells of the machine more than of the code. */
const kept = 0.7

/** The nth input of a class; each is another one, so that no accident of a single input tells the classes apart. */
export type InputClass = (n: number) => string

/**
 * Welch's t of the times of two classes of input, taken in random turns and cropped alike, as dudect does. A call takes
 * until it answers, or until the moment that it answers.
 */
export async function timeDifference(
  run: (input: string) => unknown,
  classes: readonly [InputClass, InputClass],
  samples: number,
): Promise<number> {
  const turns = Uint8Array.from({ length: samples * 2 }, () => (Math.random() < 0.5 ? 0 : 1))
  // In one piece each, and made beforehand, since that takes time too.
  const inputs = Array.from(turns, (which, n) => Buffer.from(classes[which === 0 ? 0 : 1](n)).toString())
  const times = new Float64Array(inputs.length)
  for (const [i, input] of inputs.entries()) {
    const started = process.hrtime.bigint()
    const answer = run(input)
    const ended = answer instanceof Promise ? ((await answer) as unknown) : undefined
    times[i] = Number((typeof ended === 'bigint' ? ended : process.hrtime.bigint()) - started)
  }
  const most = times.toSorted()[Math.floor(times.length * kept)] ?? Number.POSITIVE_INFINITY
  const of = (which: number) => times.filter((time, i) => turns[i] === which && time <= most)
  return welch(of(0), of(1))
}

/** Welch's t of two samples. */
export function welch(left: Float64Array, right: Float64Array): number {
  const [a, b] = [momentsOf(left), momentsOf(right)]
  return (a.mean - b.mean) / Math.sqrt(a.variance / left.length + b.variance / right.length)
}

function momentsOf(sample: Float64Array): { mean: number; variance: number } {
  const mean = sample.reduce((sum, each) => sum + each, 0) / sample.length
  const squares = sample.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  return { mean, variance: squares / (sample.length - 1) }
}
