import { privateOnDisk } from '#test/observe/private-on-disk.ts'
import { DovecotServer } from './imap-server.ts'

privateOnDisk(() => DovecotServer.start())
