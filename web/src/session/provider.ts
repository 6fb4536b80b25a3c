import { beginSignOn, confirmSignOn } from '../api/generated.ts'

/** Opens the provider of single sign-on, which leads back to the path. @throws ApiError */
export async function leaveToSignIn(to: string | undefined): Promise<void> {
  const { url } = await beginSignOn(to === undefined ? {} : { to })
  location.assign(url)
}

/** Opens the provider for a new sign-in, which leads back to the page of confirmations. @throws ApiError */
export async function leaveToConfirm(): Promise<void> {
  const { url } = await confirmSignOn()
  location.assign(url)
}

/** The reasons of failures, by the code in the URL that the provider leads back to (docs/single-sign-on.md). */
const sentences: Readonly<Record<string, string>> = {
  expired: 'This took longer than ten minutes, or began in another browser. Try again',
  refused: 'The sign-in was refused there. Try again, or ask the operator of that service',
  unavailable: 'The service that signs you in did not answer. Try again shortly',
  invalid: 'The answer of the service that signs you in is invalid. Ask the operator: the log has the reason',
  no_address: 'The service that signs you in has no verified e-mail address of yours. Ask who runs it',
  no_member: 'No member has your e-mail address. Ask an owner or an admin of your organization to add you',
  other_account:
    'Your e-mail address belonged to another account there before. Ask an owner or an admin for a new sign-in link',
  not_confirmed: 'Not confirmed: sign in there again, with your own account',
}

/** Undefined without a failure. Only our own texts: the URL can be forged. */
export function failureAtProvider(reason: string | undefined): Error | undefined {
  const sentence = reason === undefined || !Object.hasOwn(sentences, reason) ? undefined : sentences[reason]
  return sentence === undefined ? undefined : new Error(sentence)
}
