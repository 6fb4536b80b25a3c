import type { Command } from './command.ts'
import { aliasCommands } from './commands/aliases.ts'
import { auditCommand } from './commands/audit.ts'
import { backupCommand } from './commands/backup.ts'
import { domainCommands } from './commands/domains.ts'
import { keyCommands } from './commands/keys.ts'
import { mailboxAccessCommands } from './commands/mailbox-access.ts'
import { mailboxCommands } from './commands/mailboxes.ts'
import { memberRuleCommands } from './commands/member-rules.ts'
import { keptMemberRuleCommands } from './commands/member-rules-list.ts'
import { memberCommands } from './commands/members.ts'
import { migrateCommand } from './commands/migrate.ts'
import { organizationCommands } from './commands/organizations.ts'
import { planCommands } from './commands/plans.ts'
import { queueCommands } from './commands/queue.ts'
import { secretCommands } from './commands/secrets.ts'
import { moveCommands } from './commands/transfer.ts'
import { countersCommand } from './doctor/counters.ts'
import { doctorCommand } from './doctor/doctor.ts'

/** All subcommands that need a database, in the order of the help. */
export const commands: readonly Command[] = [
  ...organizationCommands,
  ...planCommands,
  ...keyCommands,
  ...memberCommands,
  ...memberRuleCommands,
  ...keptMemberRuleCommands,
  ...domainCommands,
  ...mailboxCommands,
  ...mailboxAccessCommands,
  ...aliasCommands,
  auditCommand,
  ...queueCommands,
  backupCommand,
  ...moveCommands,
  ...secretCommands,
  migrateCommand,
  doctorCommand,
  countersCommand,
]
