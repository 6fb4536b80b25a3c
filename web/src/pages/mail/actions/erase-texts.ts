import { toasts } from '../../../parts/state/toasts.ts'
import { count } from '../../../parts/text/size.ts'

/** How many, as a sentence begins. */
export const messages = (number: number) => (number === 1 ? 'One message' : `${count(number)} messages`)

/** Tells what was done, for a moment. */
export const say = (text: string) => toasts.add({ text }, { timeout: 5_000 })
