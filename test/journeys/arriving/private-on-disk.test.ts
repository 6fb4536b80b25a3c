import { privateOnDisk } from '#test/observe/private-on-disk.ts'

privateOnDisk()
