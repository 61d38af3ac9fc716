/** Using a connection: the test, the pass-through query, and targets for other features. */
import type { ConnectionExecute } from "@weft/contracts";
import type { Caller, Identity } from "../../platform/caller.ts";
import { forbidden, invalidField, notFound, refused } from "../../platform/errors.ts";
import { unchanged } from "../../platform/events.ts";
import {
	type ControllerAnswer,
	ControllerError,
	type ControllerTarget,
	type ControllerTestResult,
} from "../../ports/controller.ts";
import type { Log } from "../../ports/log.ts";
import { canEdit, canSee, canSend } from "./policy.ts";
import { presentFailure, presentTest, type TestAnswer, UNREADABLE } from "./present.ts";
import type { ConnectionRow } from "./repo.ts";
import { about, type ConnectionDeps, passwordContext } from "./service.ts";

/** A connection that may be used, with all that the driver needs. */
export interface UsableConnection {
	readonly id: string;
	readonly name: string;
	readonly target: ControllerTarget;
}

/** Why a connection cannot be used; the message is for the user. */
export interface UnusableConnection {
	readonly problem: "deleted" | "inactive" | "password_unreadable";
	readonly message: string;
}

const MESSAGE_MAX = 1000;
const PATH_KEPT = 500;

export function createConnectionUse(deps: ConnectionDeps & { readonly log: Log }) {
	const { store, repo, clock, secrets, events, controllers, quotas, log } = deps;

	/** Null when the password cannot be read. */
	function targetFor(row: ConnectionRow): ControllerTarget | null {
		let password: string;
		try {
			password = secrets.open(row.password_sealed, passwordContext(row.id));
		} catch (error) {
			log.error({ err: error, connectionId: row.id }, "the password of a controller connection cannot be read");
			return null;
		}
		const { id, url, username, verify_ssl: verifyTls } = row;
		return { id, revision: String(row.revision), url, username, password, verifyTls, timeoutMs: row.timeout * 1000 };
	}

	async function visible(identity: Identity, id: string): Promise<ConnectionRow | null> {
		const row = await repo.find(store.db, id);
		return row !== undefined && canSee(identity, row) ? row : null;
	}

	function use(row: ConnectionRow | undefined): UsableConnection | UnusableConnection {
		if (row === undefined) return { problem: "deleted", message: "The controller connection does not exist any more." };
		const { id, name } = row;
		if (!row.is_active) return { problem: "inactive", message: `The controller connection "${name}" is not active.` };
		const target = targetFor(row);
		return target === null ? { problem: UNREADABLE.kind, message: UNREADABLE.message } : { id, name, target };
	}

	/**
	 * The connection, if the caller sees it and it is active. `field` is what names it in the body of a create: every
	 * problem is then a 400 under this key. Without a field an invisible connection is a 404, and other problems a 400.
	 */
	async function usable(identity: Identity, id: string, field?: string): Promise<UsableConnection> {
		const row = await visible(identity, id);
		if (row === null) {
			throw field === undefined ? notFound() : invalidField(field, "There is no such connection that you can see.");
		}
		const found = use(row);
		if ("target" in found) return found;
		throw field === undefined ? refused(found.message) : invalidField(field, found.message);
	}

	/** Written before the request is sent: what may have changed a controller is on record, whatever happens then. */
	async function recordWrite(caller: Caller, id: string, text: string, metadata: Record<string, unknown>) {
		await store.transaction((tx) =>
			events.changed(tx, caller, { ...about({ id }), description: `${caller.username} ${text}`, metadata }),
		);
	}

	/** The outcome of a write that is on record already; the caller gets their answer even if this cannot be written. */
	async function recordOutcome(caller: Caller, id: string, text: string, metadata: Record<string, unknown>) {
		await recordWrite(caller, id, text, metadata).catch((error: unknown) =>
			log.error({ err: error, connectionId: id, ...metadata }, "the outcome of a write could not be recorded"),
		);
	}

	return {
		usable,

		async find(identity: Identity, id: string) {
			const row = await visible(identity, id);
			return row === null ? null : { id: row.id, name: row.name, isActive: row.is_active };
		},

		async target(id: string) {
			return use(await repo.find(store.db, id));
		},

		async test(caller: Caller, id: string, signal: AbortSignal): Promise<TestAnswer> {
			const row = await visible(caller, id);
			if (row === null) throw notFound();
			if (!canEdit(caller, row)) {
				throw forbidden("Only the owner of a connection and administrators may test it.");
			}
			const target = targetFor(row);
			const answer = presentTest(target === null ? UNREADABLE : await tested(target));
			await store.transaction(async (tx) => {
				const current = await repo.lock(tx, id);
				if (current === undefined) throw notFound();
				// What was tested is not what the connection is now: its last test stays as it is.
				const recorded = current.revision === row.revision;
				if (recorded) {
					await repo.update(tx, id, {
						last_tested_at: new Date(clock.now()),
						last_test_status: answer.success,
						last_test_message: answer.message.slice(0, MESSAGE_MAX),
					});
				}
				await events.changed(tx, caller, {
					...about(row),
					description: `${caller.username} tested the controller connection "${row.name}": ${answer.success ? "success" : answer.reason}`,
					metadata: { success: answer.success, recorded },
				});
			});
			return answer;

			function tested(at: ControllerTarget): Promise<ControllerTestResult> {
				return controllers.test(at, signal).catch((error: unknown) => {
					throw error instanceof ControllerError ? presentFailure(error) : error;
				});
			}
		},

		async execute(caller: Caller, input: ConnectionExecute, signal: AbortSignal) {
			const { connection_id, query_path: path, method, data } = input;
			if (!canSend(caller, method)) {
				throw forbidden(`You need the permission write_controllerconnection to send ${method}.`);
			}
			const row = await visible(caller, connection_id);
			if (row === null) throw notFound();
			await quotas.check(caller, "can_execute_queries");
			const found = use(row);
			if (!("target" in found)) throw invalidField("connection_id", found.message);
			const { id, name, target } = found;
			// Options and bodies may hold secrets.
			const place = path.split("?", 1)[0]?.slice(0, PATH_KEPT);
			const change = { method, path: place };
			if (method === "GET") unchanged(caller);
			else await recordWrite(caller, id, `sends ${method} ${place} through "${name}"`, { ...change, phase: "sent" });
			const start = clock.now();
			let answer: ControllerAnswer;
			try {
				const body = method === "POST" || method === "PUT" ? (data ?? undefined) : undefined;
				answer = await controllers.request(target, { method, path, body, signal });
			} catch (error) {
				if (!(error instanceof ControllerError)) throw error;
				if (method !== "GET") {
					const outcome = { phase: "failed", reason: error.kind, status: error.status ?? null };
					await recordOutcome(caller, id, `got no success for ${method} ${place} through "${name}"`, {
						...change,
						...outcome,
					});
				}
				throw presentFailure(error);
			}
			const execution_time_ms = clock.now() - start;
			if (method !== "GET") {
				await recordOutcome(caller, id, `got an answer to ${method} ${place} through "${name}"`, {
					...change,
					phase: "answered",
					status: answer.status,
				});
			}
			return {
				success: true as const,
				data: answer.data,
				status_code: answer.status,
				execution_time_ms,
				connection: { id, name },
			};
		},
	};
}
