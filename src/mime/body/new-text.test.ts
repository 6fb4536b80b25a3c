import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newText } from './new-text.ts'

const header = 'From: Ann <ann@x.test>\nSent: Monday, 23 November 2026 10:12\nTo: Bob\nSubject: Re: Oil'

for (const [what, text, kept] of [
  ['a message that quotes nothing', 'Yes.\n\nAda', 'Yes.\n\nAda'],
  ['a quotation', 'Yes.\n\nOn Monday, Ann wrote:\n> Is it?\n', 'Yes.'],
  ['answers in between', '> A?\nYes.\n> B?\nNo.', 'Yes.\nNo.'],
  ['a signature', 'Yes.\n-- \nAda', 'Yes.'],
  ['Outlook in text', 'Yes.\n\n-----Original Message-----\nFrom: Ann\n\nIs it?', 'Yes.'],
  ['Samsung in text', `Yes.\n\n-------- Original message --------\n${header}\n\nIs it?`, 'Yes.'],
  ['Proton Mail in text', 'Yes.\n\n------- Original Message -------\nOn Monday, Ann wrote:\n\nIs it?', 'Yes.'],
  ['Outlook', `Yes.\n\n${header}\n\nIs it?`, 'Yes.'],
  ['Outlook on the web', `Yes.\n________________________________\n${header}\n\nIs it?`, 'Yes.'],
  ['Outlook in German', 'Ja.\n\nVon: Ann\nGesendet: Montag\nAn: Bob\nCc: Eve\nBetreff: Öl\n\nIst es?', 'Ja.'],
  [
    'Outlook in French',
    'Oui.\n\nDe\u00a0: Ann\nEnvoyé\u00a0: lundi\nÀ\u00a0: Bob\nObjet\u00a0: Huile\n\nEst-ce ?',
    'Oui.',
  ],
  ['Outlook with bold names', 'Yes.\n\n*From:* Ann\n*Sent:* Monday\n*To:* Bob\n*Subject:* Oil\n\nIs it?', 'Yes.'],
  [
    'a message that is forwarded by Gmail',
    `See:\n\n---------- Forwarded message ---------\n${header}\n\nIs it?`,
    `See:\n\n---------- Forwarded message ---------\n${header}\n\nIs it?`,
  ],
  ['a message that only forwards another', `${header}\n\nIs it?`, `${header}\n\nIs it?`],
  ['who wrote, without when and what', 'Yes.\n\nFrom: here\nto there', 'Yes.\n\nFrom: here\nto there'],
  [
    'a header in two paragraphs',
    'Yes.\n\nFrom: Ann\n\nSent: now\nSubject: x',
    'Yes.\n\nFrom: Ann\n\nSent: now\nSubject: x',
  ],
  ['nothing', '', ''],
] as const) {
  test(`what is new of ${what}`, () => assert.equal(newText(text), kept))
}
