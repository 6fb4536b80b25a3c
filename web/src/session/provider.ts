import { beginSignOn, confirmSignOn } from '../api/generated.ts'

/** Leaves for the provider of single sign-on, and comes back to a path of ours. @throws ApiError */
export async function leaveToSignIn(to: string | undefined): Promise<void> {
  const { url } = await beginSignOn(to === undefined ? {} : { to })
  location.assign(url)
}

/** Leaves for the provider, where one signs in anew, and comes back to the page of confirmations. @throws ApiError */
export async function leaveToConfirm(): Promise<void> {
  const { url } = await confirmSignOn()
  location.assign(url)
}

/** Why it failed there, by the word in the address of the page to which it leads (docs/single-sign-on.md). */
const sentences: Readonly<Record<string, string>> = {
  expired: 'This took longer than ten minutes, or began in another browser. Try again',
  refused: 'The sign-in was refused there. Try again, or ask who runs that service',
  unavailable: 'The service that signs you in did not answer. Try again shortly',
  invalid: 'What the service that signs you in answered is not valid. Ask the operator, whose log says more',
  no_address: 'The service that signs you in has no verified e-mail address of yours. Ask who runs it',
  no_member: 'Nobody here has your e-mail address. Ask an owner or an admin of your organization to add you',
  other_account:
    'Your e-mail address was another account there before. Ask an owner or an admin for a new sign-in link',
  not_confirmed: 'It is not confirmed that it is you: sign in there anew, with your own account',
}

/** Undefined where nothing failed, in words that are ours. */
export function failureAtProvider(reason: string | undefined): Error | undefined {
  const sentence = reason === undefined || !Object.hasOwn(sentences, reason) ? undefined : sentences[reason]
  return sentence === undefined ? undefined : new Error(sentence)
}
