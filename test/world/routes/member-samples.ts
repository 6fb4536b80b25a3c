import { randomUUID } from 'node:crypto'
import { ownSamples, type Sample } from './samples.ts'

/** The same for what is for members alone, in a session of theirs. */
export const memberSamples: Readonly<Record<string, Sample>> = {
  ...ownSamples,
  'GET /v1/me': {},
  'GET /v1/me/access': {},
  'PUT /v1/me/presence': {
    item: 'mailbox',
    body: ({ address, ids }) => ({ mailbox: address, conversation: ids.thread, doing: 'reading' }),
  },
  'GET /v1/me/signatures': {},
  'PUT /v1/me/signatures/{address}': { item: 'mailbox', body: () => ({ text: 'Ada' }) },
  'POST /v1/mailboxes/{address}/suspend': { item: 'mailbox' },
  'POST /v1/mailboxes/{address}/resume': { item: 'mailbox' },
  'DELETE /v1/mailboxes/{address}': { item: 'mailbox' },
  'GET /v1/mailboxes/{address}/access': { item: 'mailbox' },
  'PUT /v1/mailboxes/{address}/access/{member_id}': { item: 'mailbox', body: () => ({ level: 'change' }) },
  'DELETE /v1/mailboxes/{address}/access/{member_id}': { item: 'mailbox' },
  'GET /v1/session/ways': {},
  // Without a provider; src/people/sessions/single-sign-on/routes.test.ts has one.
  'POST /v1/session/single-sign-on': { body: () => ({}), status: 404 },
  'POST /v1/session/confirm/single-sign-on': { status: 404 },
  'POST /v1/session': { body: () => ({ link: 'x' }), status: 401 },
  'POST /v1/session/link': { body: () => ({ link: 'x' }), status: 401 },
  'DELETE /v1/session': {},
  'POST /v1/session/confirm': { body: () => ({ password: 'another one altogether' }), status: 400 },
  'POST /v1/me/totp': {},
  'POST /v1/me/totp/confirm': { body: () => ({ code: '123456' }), status: 400 },
  'DELETE /v1/me/totp': { status: 404 },
  // Under 127.0.0.1 there are no passkeys.
  'POST /v1/session/challenge': { status: 400 },
  'POST /v1/session/confirm/challenge': { status: 400 },
  'POST /v1/me/passkeys/challenge': { status: 400 },
  'POST /v1/me/passkeys': {
    body: () => ({
      name: 'Laptop',
      credential: { id: 'AA', response: { clientDataJSON: 'AA', attestationObject: 'AA' } },
    }),
    status: 400,
  },
  'GET /v1/me/passkeys': {},
  'PATCH /v1/me/passkeys/{id}': { item: 'label', body: () => ({ name: 'Laptop' }), status: 404 },
  'DELETE /v1/me/passkeys/{id}': { item: 'label', status: 404 },
  'PUT /v1/me/password': { body: () => ({ password: 'correct horse battery staple' }) },
  'GET /v1/me/sessions': {},
  // Any id: the member's own is not known before the sign-in.
  'DELETE /v1/me/sessions/{id}': { item: 'label', status: 404 },
  'GET /v1/api-keys': {},
  'POST /v1/api-keys': { body: () => ({ name: 'Shop', scopes: ['messages:read'] }), status: 201 },
  'GET /v1/api-keys/{id}': { item: 'apiKey' },
  'DELETE /v1/api-keys/{id}': { item: 'apiKey' },
  'GET /v1/audit': {},
  'POST /v1/members': { body: () => ({ email: `${randomUUID()}@people.example` }), status: 201 },
  'GET /v1/members/{id}': { item: 'member' },
  'POST /v1/members/{id}/invitation': { item: 'member', status: 201 },
  'PATCH /v1/members/{id}': { item: 'member', body: () => ({ role: 'admin' }) },
  'DELETE /v1/members/{id}': { item: 'member' },
}
