import { relayConformance } from './conformance.ts'
import { SmarthostRelay } from './smarthost.ts'

relayConformance('a smarthost', (sink, settings) => {
  const peer = { host: 'mx.dest.test', address: '127.0.0.1', port: sink.port, tls: 'offered' } as const
  return new SmarthostRelay({ peer, name: 'us.example', ...settings })
})
