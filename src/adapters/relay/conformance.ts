import { describe } from 'node:test'
import { type Start, tester } from './conformance/bench.ts'
import { breaksOff } from './conformance/breaking.ts'
import { delivers } from './conformance/delivering.ts'
import { holdsTheDot } from './conformance/dot.ts'
import { outlivesHostility } from './conformance/hostility.ts'
import { keepsConnections } from './conformance/keeping.ts'
import { tellsReplies } from './conformance/replies.ts'

/** What every relay does with the server that it comes to, however it finds it: a suite against the port alone. */
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
