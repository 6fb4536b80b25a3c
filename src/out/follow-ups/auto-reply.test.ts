import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from '#/formats/mime/read-message.ts'
import { type Answerable, whyNotAnswered } from './auto-reply.ts'

const here = 'ada@here.example'
const reaches = (address: string) => /^(?:ada|a\.byron)(?:\+.*)?@here\.example$/i.test(address)

type Asked = Partial<Answerable['verdict']> & Given

function ask({ headers = '', from = 'Ann <ann@far.example>', to = here, ...more }: Asked) {
  const raw = `${headers}From: ${from}\r\nTo: ${to}\r\nSubject: Hi\r\n\r\nHello\r\n`
  const message = readMessage(Buffer.from(raw))
  const { spf = by('pass'), dkim = [], disposition = 'none', own, ...rest } = more
  const usual = { sender: 'ann@far.example', folder: 'inbox', message }
  return whyNotAnswered({ ...usual, ...rest, verdict: { spf, dkim, disposition, ...(own && { own }) } }, reaches)
}

function by(result: string, domain = 'far.example', identity: 'mailfrom' | 'helo' = 'mailfrom') {
  return { result, domain, identity }
}

function signedBy(...domains: string[]) {
  return domains.map((domain) => ({ result: 'pass', domain }))
}

interface Given {
  sender?: string
  folder?: string
  headers?: string
  from?: string
  to?: string
}

const replayed = { spf: by('none'), dkim: signedBy('far.example'), from: 'eve@far.example' }
const below = { sender: 'ann@mail.far.example', from: 'ann@mail.far.example' }

for (const [what, given] of [
  ['the null sender', { sender: '' }],
  ['MAILER-DAEMON', { sender: 'MAILER-DAEMON@far.example' }],
  ['an author who is mailer-daemon', { from: 'Mail <mailer-daemon@far.example>' }],
  ['owner-', { sender: 'owner-birds@far.example' }],
  ['-owner', { sender: 'birds-owner@far.example' }],
  ['-request', { sender: 'Birds-Request@far.example' }],
  ['-bounces', { sender: 'birds-bounces@far.example' }],
  ['a return path that is made for each message', { sender: 'bounce+ada=here.example@far.example' }],
  ['a sender that was rewritten', { sender: 'SRS0=abcd=ab=far.example=ann@fwd.example' }],
  ['noreply', { sender: 'noreply@far.example' }],
  ['noreply in quotes', { sender: '"noreply"@far.example' }],
  ['no-reply in From alone', { from: 'Shop <No-Reply@far.example>' }],
  ['do_not_reply with a tag', { sender: 'do_not_reply+7@far.example' }],
  ['shop-noreply', { sender: 'shop-noreply@far.example' }],
  ['LISTSERV', { sender: 'LISTSERV@far.example' }],
  ['List-Id', { headers: 'List-Id: <birds.far.example>\r\n' }],
  ['List-Unsubscribe', { headers: 'list-unsubscribe: <mailto:x@far.example>\r\n' }],
  ['Precedence bulk', { headers: 'Precedence: bulk\r\n' }],
  ['Precedence junk', { headers: 'Precedence: JUNK\r\n' }],
  ['Precedence list, with a comment', { headers: 'Precedence: (so it is) list\r\n' }],
  ['Auto-Submitted auto-generated', { headers: 'Auto-Submitted: auto-generated\r\n' }],
  ['Auto-Submitted in capitals', { headers: 'AUTO-SUBMITTED: AUTO-REPLIED\r\n' }],
  ['Auto-Submitted with a parameter', { headers: 'Auto-Submitted: auto-notified; owner-email="x@y.example"\r\n' }],
  ['Auto-Submitted with a comment that says no', { headers: 'Auto-Submitted: (no) auto-replied\r\n' }],
  ['Auto-Submitted with a word that nobody knows', { headers: 'Auto-Submitted: perhaps\r\n' }],
  ['Auto-Submitted twice', { headers: 'Auto-Submitted: no\r\nAuto-Submitted: auto-replied\r\n' }],
  ['X-Auto-Response-Suppress', { headers: 'X-Auto-Response-Suppress: OOF\r\n' }],
  ['X-Auto-Response-Suppress of several', { headers: 'X-Auto-Response-Suppress: DR, RN, NRN, AutoReply\r\n' }],
  ['X-Auto-Response-Suppress of all', { headers: 'X-Auto-Response-Suppress: All\r\n' }],
  ['Precedence auto_reply', { headers: 'Precedence: auto_reply\r\n' }],
  ['X-Autoreply', { headers: 'X-Autoreply: yes\r\n' }],
  ['X-Autorespond', { headers: 'X-Autorespond: Re: Lunch\r\n' }],
  ['Mailing-List', { headers: 'Mailing-List: contact birds-help@far.example; run by ezmlm\r\n' }],
  ['a report', { headers: 'Content-Type: multipart/report; boundary=x\r\n' }],
  ['the mailbox itself', { sender: here }],
  ['an alias of the mailbox', { sender: 'a.byron@here.example' }],
  ['an author who is the mailbox with a tag', { from: 'ada+x@here.example' }],
  ['junk', { folder: 'junk' }],
  ['Bcc only', { to: 'others@far.example' }],
  ['a message that names nobody', { to: 'undisclosed-recipients:;' }],
  ['SPF fail without DKIM pass', { spf: by('fail'), dkim: [{ result: 'fail', domain: 'far.example' }] }],
  ['SPF softfail', { spf: by('softfail') }],
  ['SPF neutral', { spf: by('neutral') }],
  ['a sender whose domain has no SPF', { spf: by('none') }],
  ['a sender who could not be looked up', { spf: by('temperror') }],
  ['SPF of the client alone', { spf: by('pass', 'far.example', 'helo') }],
  ['SPF of another domain', { spf: by('pass', 'eve.example') }],
  ['a signature of another domain', { spf: by('fail'), dkim: signedBy('eve.example') }],
  ['a signature of a domain that ends alike', { spf: by('fail'), dkim: signedBy('r.example') }],
  ['a signature of a domain below', { spf: by('fail'), dkim: signedBy('eve.far.example') }],
  ['a signature that does not hold', { spf: by('none'), dkim: [{ result: 'policy', domain: 'far.example' }] }],
  ['a signed message of somebody else there, sent again under this name', replayed],
  ['one with a From more', { ...replayed, headers: 'From: ann@far.example\r\n' }],
  ['an author whose domain disowns it', { disposition: 'quarantine' }],
] as const satisfies readonly (readonly [string, Asked])[])
  test(`there is no answer to ${what}`, () => assert.equal(typeof ask(given), 'string'))

for (const [what, given] of [
  ['a person', {}],
  ['a person who wrote to an alias', { to: 'a.byron@here.example' }],
  ['a person who wrote to a tag', { to: '"Ada" <ADA+news@here.example>' }],
  ['a person who named the mailbox in Cc', { to: 'bob@far.example', headers: `Cc: ${here}\r\n` }],
  ['Auto-Submitted no', { headers: 'Auto-Submitted: No (a person wrote this)\r\n' }],
  ['X-Auto-Response-Suppress none', { headers: 'X-Auto-Response-Suppress: None\r\n' }],
  ['X-Auto-Response-Suppress of reports', { headers: 'X-Auto-Response-Suppress: DR, NDR, RN, NRN\r\n' }],
  ['X-Auto-Response-Suppress that is empty', { headers: 'X-Auto-Response-Suppress:\r\n' }],
  ['X-Autoreply no', { headers: 'X-Autoreply: no\r\n' }],
  ['Precedence first-class', { headers: 'Precedence: first-class\r\n' }],
  ['SPF fail where DKIM passes', { spf: by('fail'), dkim: signedBy('eve.example', 'FAR.example') }],
  ['a signature of the domain above', { ...below, spf: by('none'), dkim: signedBy('far.example') }],
  ['SPF pass where From is another', { from: 'ann@else.example' }],
  ['one of our own mailboxes', { spf: by('none', ''), own: true }],
  ['a person whose name begins like a robot', { sender: 'nora.reply@far.example', from: 'bouncer@far.example' }],
] as const satisfies readonly (readonly [string, Asked])[])
  test(`there is an answer to ${what}`, () => assert.equal(ask(given), undefined))
