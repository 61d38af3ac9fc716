/** The service's status, and its first setup, as administrators read them. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { timestamp } from "../../core/common.ts";
import { SERVICE_HEALTH } from "../values.ts";
import { BACKUPS_LISTED, SETUP_STATES, SETUP_STEPS } from "./values.ts";

const health = z.enum(SERVICE_HEALTH);
/** `error` is the reason of a failure; null if the part answers. */
const part = { health, error: z.string().nullable() };

const serviceNode = z.object({
	id: z.string(),
	/** Name of the machine. */
	host: z.string(),
	process_id: z.int(),
	version: z.string(),
	roles: z.array(z.string()),
	started_at: timestamp,
	/** When the process reported last; it does so every 30 seconds. */
	seen_at: timestamp,
	/** Whether it reported within the last 90 seconds. */
	is_alive: z.boolean(),
	/** Whether this process gave this answer. */
	is_answering: z.boolean(),
});

const storeBackup = z.object({
	/** The name of the file without its folder. */
	file_name: z.string(),
	size_bytes: z.int(),
	row_count: z.int(),
	/** Version of the service that made it. */
	version: z.string(),
	created_at: timestamp,
});

export const serviceStatus = z.object({
	version: z.string(),
	nodes: z.array(serviceNode),
	/** Numbers of tasks in each queue of all processes, some seconds old. */
	queues: z.array(z.object({ queue: z.string(), waiting: z.int(), active: z.int() })),
	store: z.object({
		...part,
		/** Version of PostgreSQL; null while the store is down. */
		version: z.string().nullable(),
		size_bytes: z.int().nullable(),
	}),
	cache: z.object(part),
	model: z.object({
		...part,
		/** Version of the class model in use; null if none is loaded. */
		version: z.string().nullable(),
		imported_at: timestamp.nullable(),
	}),
	/** Configured mail is `healthy`. Only a test mail shows whether the server accepts mail. */
	mail: z.object({
		...part,
		/** Whether the address of the web interface, which links in mails need, is configured. */
		has_address: z.boolean(),
	}),
	directory: z.object(part),
	identity_provider: z.object({ ...part, label: z.string().nullable() }),
	/** Backups by the command of this service, the newest first. Others are unknown to it. */
	backups: z.array(storeBackup).meta({ description: `At most ${BACKUPS_LISTED}.` }),
});
export type ServiceStatus = z.infer<typeof serviceStatus>;

export const setup = z.object({
	steps: z.array(z.object({ step: z.enum(SETUP_STEPS), state: z.enum(SETUP_STATES) })),
	/** Whether no step is open. */
	is_complete: z.boolean(),
});
export type Setup = z.infer<typeof setup>;

export const setupPatch = z.object({
	/** The steps to leave out; all others are taken up again. A step that is done stays done. */
	skipped: defineList(z.enum(SETUP_STEPS), { max: SETUP_STEPS.length }),
});
export type SetupPatch = z.output<typeof setupPatch>;

export const mailTest = z.object({ success: z.boolean(), message: z.string() });
export type MailTest = z.infer<typeof mailTest>;
