import { aliasCommands } from './aliases.ts'
import { auditCommand } from './audit.ts'
import { backupCommand } from './backup.ts'
import type { Command } from './command.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { domainCommands } from './domains.ts'
import { keyCommands } from './keys.ts'
import { mailCommands } from './mail.ts'
import { mailboxAccessCommands } from './mailbox-access.ts'
import { mailboxCommands } from './mailboxes.ts'
import { memberRuleCommands } from './member-rules.ts'
import { keptMemberRuleCommands } from './member-rules-list.ts'
import { memberCommands } from './members.ts'
import { migrateCommand } from './migrate.ts'
import { organizationCommands } from './organizations.ts'
import { planCommands } from './plans.ts'
import { queueCommands } from './queue.ts'
import { secretCommands } from './secrets.ts'
import { moveCommands } from './transfer.ts'

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
  ...mailCommands,
  backupCommand,
  ...moveCommands,
  ...secretCommands,
  migrateCommand,
  doctorCommand,
]
