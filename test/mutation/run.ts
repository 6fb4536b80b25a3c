// Tries mutants of the source: small changes, one at a time in a copy of the tree, each of which some test of its area must
// notice. CONTRIBUTING.md says how to run it.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { roomyPlace } from '#test/runner/roomy-place.ts'
import { type Area, areas } from './areas.ts'
import { type Mutant, mutantsOf, mutated, shuffled } from './mutants.ts'
import { measure, type Reach, reaches } from './reach.ts'
import { nameOf, survivors } from './survivors.ts'
import { Tree } from './tree.ts'

/** The result of a mutant, a line of the report. */
interface Tried extends Pick<Mutant, 'id' | 'file' | 'function' | 'before' | 'after' | 'nth'> {
  readonly area: string
  readonly outcome: 'caught' | 'timed out' | 'survived' | 'explained'
  /** The test that caught it, or why it is none that a test could catch. */
  readonly by: string
  readonly seconds: number
}

const root = join(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache/mutants')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    at: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    tests: { type: 'string', default: '' },
    again: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    report: { type: 'string', default: join(cache, 'report.jsonl') },
  },
})
const chosen = (positionals.length > 0 ? positionals : Object.keys(areas)).map((name): [string, Area] => {
  const area = areas[name]
  if (!area) throw new Error(`There is no area ${name}: there are ${Object.keys(areas).join(', ')}`)
  return [name, area]
})

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
const say = (text: string) => void process.stdout.write(`${text}\n`)
mkdirSync(dirname(values.report), { recursive: true })

await using resources = new AsyncDisposableStack()
const directory = await mkdtemp(join(await roomyPlace(), 'mailroom-mutants-'))
resources.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }))
const trees = Array.from({ length: Number(values.at) }, (_, at) => new Tree(join(directory, `${at}`)))
const known = new Map<string, Reach>()
const asked = new Map<string, Promise<Reach | string>>()
const failing = new Set<string>()
const drawn = chosen.flatMap(([name, area]) => drawnFrom(name, area))

if (values.list) for (const { area, mutant } of drawn) say(`${area} ${described(mutant)}`)
else {
  const before = earlier()
  const left = drawn.filter(({ mutant }) => !before.has(mutant.id))
  const results = [...drawn.flatMap(({ mutant }) => before.get(mutant.id) ?? [])]
  await together(left, async (tree, { area, mutant }) => {
    const tried = await tryOut(tree, area, mutant)
    appendFileSync(values.report, `${JSON.stringify(tried)}\n`)
    results.push(tried)
    say(`${results.length}/${drawn.length} ${tried.outcome} (${tried.seconds.toFixed(1)} s): ${described(tried)}`)
    if (tried.by !== '') say(`    ${tried.by}`)
  })
  for (const [name] of chosen) say(summary(name, results))
}

/** So many mutants of an area, drawn by the seed, or those whose text holds what is looked for. */
function drawnFrom(area: string, { source }: Area): { area: string; mutant: Mutant }[] {
  const wanted = shuffled(mutantsIn(source), values.seed).filter((mutant) => described(mutant).includes(values.only))
  return wanted.slice(0, Number(values.count)).map((mutant) => ({ area, mutant }))
}

function mutantsIn(patterns: readonly string[]): Mutant[] {
  const [tree] = trees as [Tree]
  const files = tree.files(...patterns).filter((file) => !/\.test\.ts$|\/fixtures\//.test(file))
  return files.flatMap((file) => mutantsOf(file, tree.read(file)))
}

/** The results of an earlier run. With `--again`, uncaught mutants are tried again. */
function earlier(): Map<string, Tried> {
  const lines = existsSync(values.report) ? readFileSync(values.report, 'utf8').split('\n').slice(0, -1) : []
  const all = lines.map((line) => JSON.parse(line) as Tried)
  const last = new Map(all.map((tried) => [tried.id, tried]))
  for (const [id, { outcome }] of last) if (values.again && outcome !== 'caught') last.delete(id)
  return last
}

/** The tests of an area: those that are measured first, the quickest before the others. */
function testsOf(area: string): string[] {
  const [tree] = trees as [Tree]
  const files = (areas[area]?.tests ?? []).flatMap((pattern) => tree.files(pattern))
  const wanted = [...new Set(files)].filter((file) => new RegExp(values.tests).test(file))
  const seconds = (file: string) => known.get(file)?.seconds ?? Number.POSITIVE_INFINITY
  return wanted.toSorted((one, other) => (seconds(one) < seconds(other) ? -1 : seconds(one) > seconds(other) ? 1 : 0))
}

/** What a file of tests runs; undefined where it fails without any mutant. It is measured when a mutant first needs it. */
async function reachOf(tree: Tree, test: string): Promise<Reach | undefined> {
  const measuring = asked.get(test) ?? measure(tree, test, cache, stopping.signal)
  asked.set(test, measuring)
  const reach = await measuring
  if (typeof reach === 'string') {
    if (!failing.has(test)) say(`${reach}\n${test} fails without any mutant, and is left out`)
    failing.add(test)
    return undefined
  }
  if (!known.has(test)) say(`measured ${test}: ${reach.seconds.toFixed(1)} s`)
  known.set(test, reach)
  return reach
}

async function tryOut(tree: Tree, area: string, mutant: Mutant): Promise<Tried> {
  const { id, file, function: inside, before, after, nth } = mutant
  const tried = { id, area, file, function: inside, before, after, nth }
  const reason = survivors.get(nameOf(mutant))
  if (reason !== undefined) return { ...tried, outcome: 'explained', by: reason, seconds: 0 }
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1_000
  const text = mutated(tree.read(file), mutant)
  let reaching = 0
  for (const test of testsOf(area)) {
    const reach = await reachOf(tree, test)
    if (!reach || !reaches(reach, file, mutant.start)) continue
    reaching++
    const ran = await tree.with(file, text, () => tree.run(test, 60 + 10 * reach.seconds, stopping.signal))
    if (ran.outcome === 'passed') continue
    const outcome = ran.outcome === 'failed' ? 'caught' : 'timed out'
    return { ...tried, outcome, by: `${test}: ${ran.test}`, seconds: seconds() }
  }
  return { ...tried, outcome: 'survived', by: `${reaching} files of tests run it`, seconds: seconds() }
}

/** Works through a list with one worker a tree. */
async function together<T>(list: readonly T[], work: (tree: Tree, one: T) => Promise<void>): Promise<void> {
  const waiting = list.values()
  await Promise.all(
    trees.map(async (tree) => {
      for (const one of waiting) {
        stopping.signal.throwIfAborted()
        await work(tree, one)
      }
    }),
  )
}

function described({ id, file, function: inside, before, after }: Pick<Tried, keyof Tried & keyof Mutant>): string {
  return `${id} ${file} ${inside}\n  - ${before}\n  + ${after}`
}

function summary(name: string, results: readonly Tried[]): string {
  const own = results.filter(({ area }) => area === name)
  const count = (outcome: Tried['outcome']) => own.filter((tried) => tried.outcome === outcome).length
  const survivors = own.filter(({ outcome }) => outcome === 'survived')
  const tried = own.length - count('explained')
  const caught = count('caught') + count('timed out')
  return [
    `${name}: ${caught} of ${tried} caught (${((100 * caught) / tried).toFixed(0)} %), ${count('timed out')} of them by time,` +
      ` ${survivors.length} survived, ${count('explained')} more with a reason`,
    ...survivors.map((one) => `survived: ${described(one)}`),
  ].join('\n')
}
