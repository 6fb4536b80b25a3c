import { Bad } from '../answers.ts'
import { type Forest, forestOf } from './forest.ts'
import type { Scope } from './scope.ts'
import { eachInTurns } from './sort-in-turns.ts'
import { subjectsOf, valuesOf } from './sort-values.ts'
import { Arranging, type Threads } from './threads.ts'

const algorithms = ['REFERENCES', 'REFS', 'ORDEREDSUBJECT'] as const
export type Algorithm = (typeof algorithms)[number]

export function algorithmNamed(name: string): Algorithm {
  const algorithm = algorithms.find((one) => one === name)
  if (!algorithm) throw new Bad('Threads are by REFERENCES, REFS or ORDEREDSUBJECT')
  return algorithm
}

/**
 * The threads of messages, which are numbered by their order in `places`. By REFS and REFERENCES these are the conversations of the folder as
 * everybody is shown them (docs/reference/threads.md): by REFS in the order of their newest messages, and by REFERENCES in that of their
 * first ones, joined by subjects as RFC 5256 says.
 */
export async function threadsOf(scope: Scope, algorithm: Algorithm, places: readonly number[]): Promise<Threads> {
  const sent = await timesOf(scope, 'DATE', places)
  if (algorithm === 'ORDEREDSUBJECT') {
    const bySubject = await Arranging.of(await forestBySubject(scope, places), sent)
    await bySubject.underFirst()
    return bySubject
  }
  const { mailbox, folder } = scope.selected
  const { index } = await scope.session.parts.threads.upToDate(mailbox, folder)
  const uids = Uint32Array.from(places, (place) => scope.known.uidAt(place))
  const threads = await Arranging.of(await forestOf(index, uids), sent)
  if (algorithm === 'REFS') await threads.byNewest(await timesOf(scope, 'ARRIVAL', places))
  else {
    const first = threads.threads.map(([message = 0]) => message)
    const subjects = await subjectsOf(
      scope,
      first.map((message) => places[message] ?? 0),
    )
    const subjectOf = new Map(first.map((message, at) => [message, subjects[at] ?? '']))
    await threads.joinSubjects((message) => subjectOf.get(message) ?? '')
  }
  return threads
}

async function timesOf(scope: Scope, by: 'DATE' | 'ARRIVAL', places: readonly number[]) {
  const times = await valuesOf(scope, by, places)
  return (message: number) => Number(times[message] ?? 0)
}

async function forestBySubject(scope: Scope, places: readonly number[]): Promise<Forest> {
  const subjects = (await valuesOf(scope, 'SUBJECT', places)) as readonly string[]
  const numbers = new Map<string, number>()
  const conversations = new Int32Array(places.length)
  await eachInTurns(subjects.entries(), ([message, subject]) => {
    const number = numbers.get(subject) ?? numbers.size
    numbers.set(subject, number)
    conversations[message] = number
  })
  return { parents: new Int32Array(places.length).fill(-1), conversations }
}
