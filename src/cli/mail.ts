import { adoptMailHome, inDatabase, type MailHome, mailHomeOf } from '#/mailboxes/home.ts'
import { command } from './command.ts'

export const mailCommands = [
  command({
    name: 'mail adopt',
    summary: 'Take the mail host of these settings for the one that has the mail: its server was renamed, or restored',
    operands: [],
    options: {},
    run: async ({ config, database: { db }, keyring }) => {
      // Nobody with another secret has a say.
      await keyring(db)
      const here = mailHomeOf(config)
      const before = await adoptMailHome(db, here)
      const value = { mail_host: here, before: before ?? null }
      if (before === here) return { value, text: `Mail was kept ${placed(here)} before.` }
      return {
        value,
        text: `Mail is kept ${placed(here)} now${before === undefined ? '' : `, and no longer ${placed(before)}`}.`,
      }
    },
  }),
]

function placed(home: MailHome): string {
  return home === inDatabase ? 'in the database' : `on ${home}`
}
