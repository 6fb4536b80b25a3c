import { privateOnDisk } from '#test/observe/private-on-disk.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'

privateOnDisk(() => DovecotServer.start())
