import { toasts } from '../../../parts/state/toasts.ts'
import { count } from '../../../parts/text/size.ts'

/** The number, to begin a sentence. */
export const messages = (number: number) => (number === 1 ? 'One message' : `${count(number)} messages`)

/** Shows briefly what was done. */
export const say = (text: string) => toasts.add({ text }, { timeout: 5_000 })
