import { count } from '../../../parts/size.ts'
import { toasts } from '../../../parts/toasts.ts'

/** How many, as a sentence begins. */
export const messages = (number: number) => (number === 1 ? 'One message' : `${count(number)} messages`)

/** Tells what was done, for a moment. */
export const say = (text: string) => toasts.add({ text }, { timeout: 5_000 })
