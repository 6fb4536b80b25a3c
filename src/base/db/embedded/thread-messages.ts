import type { MessagePort } from 'node:worker_threads'

export type ToWorker = { kind: 'connect'; port: MessagePort } | { kind: 'close' }

export type FromWorker = { kind: 'ready' } | { kind: 'reserve used' } | { kind: 'died'; reason: string }
