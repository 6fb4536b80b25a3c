import { describe } from 'node:test'
import { type Start, tester } from './bench.ts'
import { breaksOff } from './breaking.ts'
import { keepsConnections } from './connections.ts'
import { delivers } from './delivering.ts'
import { holdsTheDot } from './end-of-data.ts'
import { outlivesHostility } from './hostility.ts'
import { tellsReplies } from './replies.ts'

/** The conformance suite of the port `Relay`. */
export function relayConformance(name: string, start: Start): void {
  describe(name, () => {
    const testIt = tester(start)
    delivers(testIt)
    tellsReplies(testIt)
    holdsTheDot(testIt)
    breaksOff(testIt)
    outlivesHostility(testIt)
    keepsConnections(testIt)
  })
}
