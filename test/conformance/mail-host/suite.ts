import { after, before, describe } from 'node:test'
import { findsAttachments } from './attachments.ts'
import { type Bench, tester } from './bench.ts'
import { changesAndMoves } from './changing.ts'
import { savesDrafts } from './drafts.ts'
import { empties } from './emptying.ts'
import { readsHeadings } from './headings.ts'
import { followsEveryHistory } from './history.ts'
import { namesFolders } from './naming.ts'
import { marksOriginals } from './originals.ts'
import { survivesRaces } from './races.ts'
import { refusesStrangers } from './refusing.ts'
import { storesAndLists } from './storing.ts'

/** The conformance suite of the port `MailHost`. */
export function mailHostConformance(name: string, start: () => Promise<Bench>): void {
  describe(name, () => {
    let started: Bench
    before(async () => {
      started = await start()
    })
    after(() => started[Symbol.asyncDispose]())
    const bench = () => started
    const testIt = tester(bench)

    storesAndLists(testIt)
    findsAttachments(testIt)
    changesAndMoves(testIt)
    marksOriginals(testIt)
    readsHeadings(testIt)
    savesDrafts(testIt)
    namesFolders(testIt)
    empties(testIt)
    refusesStrangers(testIt)
    survivesRaces(testIt)
    followsEveryHistory(bench)
  })
}
