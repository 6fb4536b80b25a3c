import type { Writing } from '../writing.ts'

/** Of one member: several may use a browser. */
interface Kept {
  readonly key: string
  readonly member: string
  readonly writing: Writing
}

interface KeptFile {
  readonly id: string
  /** Of the message that it belongs to. */
  readonly key: string
  readonly content: Blob
}

let opened: Promise<IDBDatabase> | undefined

/** Unfinished messages in the browser's own database. They stay there until the service has them. */
function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('writing', 1)
    request.onupgradeneeded = () => {
      request.result.createObjectStore('writings', { keyPath: 'key' })
      request.result.createObjectStore('files', { keyPath: 'id' }).createIndex('key', 'key')
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  return opened
}

/** Runs requests in one transaction, and resolves once it is stored. */
async function transact<T>(mode: IDBTransactionMode, work: (tx: IDBTransaction) => IDBRequest<T>): Promise<T> {
  const tx = (await database()).transaction(['writings', 'files'], mode, { durability: 'strict' })
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const request = work(tx)
  tx.oncomplete = () => resolve(request.result)
  tx.onabort = () => reject(tx.error)
  return promise
}

export async function keep(member: string, writing: Writing): Promise<void> {
  const kept: Kept = { key: writing.key, member, writing }
  await transact('readwrite', (tx) => tx.objectStore('writings').put(kept))
}

/** Keeps its files: those of an answer are stored before its text. */
export async function forgetText(key: string): Promise<void> {
  await transact('readwrite', (tx) => tx.objectStore('writings').delete(key))
}

export async function forget(key: string): Promise<void> {
  await transact('readwrite', (tx) => {
    const files = tx.objectStore('files')
    const ids = files.index('key').getAllKeys(key)
    ids.onsuccess = () => {
      for (const id of ids.result) files.delete(id)
    }
    return tx.objectStore('writings').delete(key)
  })
}

/** Unfinished messages of this member. */
export async function keptOf(member: string): Promise<Writing[]> {
  const all = await transact('readonly', (tx) => tx.objectStore('writings').getAll() as IDBRequest<Kept[]>)
  return all.flatMap((kept) => (kept.member === member ? [kept.writing] : []))
}

export async function keepFile(file: KeptFile): Promise<void> {
  await transact('readwrite', (tx) => tx.objectStore('files').put(file))
}

export async function contentOf(id: string): Promise<Blob> {
  const kept = await transact('readonly', (tx) => tx.objectStore('files').get(id) as IDBRequest<KeptFile | undefined>)
  if (!kept) throw new Error('An attachment is no longer on this device')
  return kept.content
}
