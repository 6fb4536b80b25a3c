import {
  addPasskey,
  beginPasskey,
  challengeConfirmation,
  challengeSignIn,
  confirmSession,
  type Me,
  type Passkey,
  type PasskeyAssertion,
  type PasskeyCredential,
  type PasskeyRequest,
  signIn,
} from '../api/generated.ts'

/** Whether this browser supports passkeys, and their JSON form as the API has it. */
export const browserHasPasskeys =
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential

/** Creates a passkey in the browser, and adds it under the name. */
export async function makePasskey(name: string): Promise<Passkey> {
  const { options } = await beginPasskey()
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await answerOf(navigator.credentials.create({ publicKey }))
  return await addPasskey({ name, credential: credential as PasskeyCredential })
}

/** Signs in with a passkey that the member chooses in the browser. */
export async function signInByPasskey(): Promise<Me> {
  return await signIn({ passkey: await asked((await challengeSignIn()).options) })
}

/** Confirms the member with a passkey. */
export async function confirmByPasskey(): Promise<void> {
  await confirmSession({ passkey: await asked((await challengeConfirmation()).options) })
}

async function asked(options: PasskeyRequest): Promise<PasskeyAssertion> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return (await answerOf(navigator.credentials.get({ publicKey }))) as PasskeyAssertion
}

async function answerOf(answer: Promise<Credential | null>): Promise<unknown> {
  const credential = await answer.catch((error: unknown) => {
    throw new Error(meaning[error instanceof DOMException ? error.name : ''] ?? String(error))
  })
  if (credential instanceof PublicKeyCredential) return credential.toJSON()
  throw new Error(meaning.NotAllowedError)
}

/** Messages for a browser's errors (WebAuthn, sections 5.1.3 and 5.1.4). */
const meaning: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used: it was cancelled, or took too long',
  InvalidStateError: 'This device has a passkey of yours already',
  NotSupportedError: 'This device does not support passkeys of this kind',
  SecurityError: 'The browser has no passkeys under this address',
}
