/** The service's status for administrators, and a test mail. */
import { BACKUPS_LISTED, type MailTest, type ServiceStatus } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { findUser } from "../accounts/sign-in/sql/sign-in.ts";
import { examineService } from "./probe-service.ts";
import { isNodeAlive } from "./rules/health.ts";
import { listBackups, listNodes, measureStore } from "./sql.ts";

const UNCONFIGURED = { health: "not_configured", error: null } as const;

/** @param nodeId id of the process that answers */
export async function readStatus(ctx: Context, nodeId: string): Promise<ServiceStatus> {
	const { db } = ctx.store;
	const { directory, identityProvider, mailer } = ctx;
	const loaded = ctx.areas.model.loaded;
	const [store, cache, model, people, provider, nodes, queues, backups, size] = await Promise.all([
		examineService(ctx, "store", () => ctx.store.healthy()),
		examineService(ctx, "cache", () => ctx.cache.ping()),
		examineService(ctx, "class model", () => loaded.current()),
		directory === null ? UNCONFIGURED : examineService(ctx, "directory", () => directory.findPeople([])),
		identityProvider === null
			? UNCONFIGURED
			: examineService(ctx, "identity provider", async () => {
					if (!(await identityProvider.isReachable())) throw new Error("The identity provider does not answer.");
				}),
		listNodes(db),
		ctx.jobs.stats(),
		listBackups(db, BACKUPS_LISTED),
		measureStore(db).catch(() => null),
	]);
	const version = model.health === "down" ? undefined : await loaded.current();
	return {
		version: ctx.version,
		nodes: nodes.map((row) => ({
			id: row.id,
			host: row.host,
			process_id: row.process_id,
			version: row.version,
			roles: row.roles,
			started_at: row.started_at.toISOString(),
			seen_at: row.seen_at.toISOString(),
			is_alive: isNodeAlive(row.seen_at.getTime(), ctx.clock.now()),
			is_answering: row.id === nodeId,
		})),
		queues: queues.map(({ queue, waiting, active }) => ({ queue, waiting, active })),
		store: { ...store, version: size?.version ?? null, size_bytes: size?.size_bytes ?? null },
		cache,
		model: {
			...model,
			version: version?.version.controller_version ?? null,
			imported_at: version?.version.imported_at.toISOString() ?? null,
		},
		mail: {
			...(mailer === null ? UNCONFIGURED : ({ health: "healthy", error: null } as const)),
			has_address: ctx.frontendUrl !== "",
		},
		directory: people,
		identity_provider: { ...provider, label: identityProvider?.label ?? null },
		backups: backups.map(({ file_name, size_bytes, row_count, version, created_at }) => ({
			file_name,
			size_bytes: Number(size_bytes),
			row_count: Number(row_count),
			version,
			created_at: created_at.toISOString(),
		})),
	};
}

/** Sends a mail to the caller. A failure is an answer, not an error. */
export async function sendTestMail(ctx: Context, caller: Caller): Promise<MailTest> {
	await ctx.store.transaction((tx) =>
		ctx.events.changed(tx, caller, {
			targetType: "user",
			targetId: caller.userId,
			description: `${caller.username} asked for a test mail`,
			metadata: {},
		}),
	);
	if (ctx.mailer === null) {
		const message = "No mail server is configured. Set WEFT_SMTP_URL and WEFT_SMTP_FROM, and start Weft again.";
		return { success: false, message };
	}
	const to = (await findUser(ctx.store.db, caller.userId))?.email ?? "";
	if (to === "") {
		return { success: false, message: "Your account has no email address. Enter one in your profile, and try again." };
	}
	try {
		await ctx.mailer.send({
			to,
			messageId: `${ctx.ids.uuid()}@weft`,
			subject: "Test mail from Weft",
			text: `Hello ${caller.username},\n\nWeft can send mail. You asked for this test.\n`,
		});
		return { success: true, message: `The mail server took a mail to ${to}.` };
	} catch (error) {
		ctx.log.warn({ err: error }, "a test mail was not sent");
		const reason = error instanceof Error ? error.message : String(error);
		return { success: false, message: `The mail server did not take the mail: ${reason}` };
	}
}
