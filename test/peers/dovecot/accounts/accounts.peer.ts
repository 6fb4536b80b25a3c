import { accountsOn } from './accounts.ts'
import { startDovecot23 } from './dovecot-23.ts'

/** Debian 12's. */
accountsOn(startDovecot23)
