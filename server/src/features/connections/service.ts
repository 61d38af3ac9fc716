/** Controller connections: the stored kind, and the pass-through request. */
import type { ConnectionExecute, ConnectionPatch, ControllerConnection } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { buildForbiddenError, invalidField } from "../../platform/errors.ts";
import { markUnchanged } from "../../platform/events.ts";
import type { Clock } from "../../ports/clock.ts";
import {
	type ControllerAnswer,
	type ControllerDriver,
	ControllerError,
	type ControllerTarget,
} from "../../ports/controller.ts";
import { type LoginInput, PASSWORD, PRIVATE_KEY, readLogin } from "./controller-login.ts";
import { encodePassedAnswer } from "./passed-answer.ts";
import { canSend, createConnectionPolicy } from "./policy.ts";
import { presentConnection, presentFailure, presentTest } from "./present.ts";
import { createStoredConnectionRepo } from "./repo-stored.ts";
import {
	assertConfirmationRight,
	assertDistinct,
	readConfirmation,
	recordClusterChanges,
	type TestedCluster,
	testedColumns,
} from "./service-cluster.ts";
import { createStoredConnections, type StoredConnectionDeps, sealedColumns } from "./service-stored.ts";

export interface ConnectionDeps extends StoredConnectionDeps {
	readonly clock: Pick<Clock, "now" | "sleep">;
	readonly controllers: ControllerDriver;
}

/** A connection that may be used, with all that the driver needs. */
export interface UsableConnection {
	readonly id: string;
	readonly name: string;
	readonly target: ControllerTarget;
}

const targetType = "controller_connection";
const secrets = [PASSWORD, PRIVATE_KEY];
export const connectionSecrets = sealedColumns("controller_connections", targetType, secrets);

/** The longest that a save waits for the fabric's identity. */
const IDENTIFY_MS = 2_000;
/** Characters of a request's path in the audit log. */
const AUDITED_PATH_MAX = 500;

export function createConnectionService(deps: ConnectionDeps) {
	const { store, clock, events, controllers, quotas, log } = deps;
	const recorded = recordClusterChanges(deps);
	const repo = createStoredConnectionRepo("controller_connections", "url");
	const policy = createConnectionPolicy("controllerconnection");
	const stored = createStoredConnections(deps, {
		repo,
		policy,
		table: "controller_connections",
		targetType,
		noun: "controller connection",
		secrets,
		addressColumn: "url",
		alternatesColumn: "alternate_urls",
		sessionColumns: [
			"url",
			"alternate_urls",
			"is_one_fabric_confirmed",
			"auth_method",
			"username",
			"certificate_dn",
			"verify_ssl",
			"pinned_certificate",
			"timeout",
		],
		resets: { members: "{}" },
		initial: { last_test_status: null },
		getSecret: (row) =>
			row.auth_method === "certificate"
				? { ...PRIVATE_KEY, sealed: row.private_key_sealed }
				: { ...PASSWORD, sealed: row.password_sealed },
		read(input, before) {
			const {
				password: _password,
				certificate_name: _name,
				private_key: _key,
				private_key_passphrase: _,
				...rest
			} = input;
			const { values, secret } = readLogin(input as LoginInput, before, controllers.checkPrivateKey);
			assertDistinct(input as ConnectionPatch, before);
			const moves = before !== null && input.url !== undefined && input.url !== before.url;
			const is_one_fabric_confirmed = readConfirmation(input as ConnectionPatch, before);
			return { values: { ...rest, ...values, is_one_fabric_confirmed, ...(moves ? { fabric_id: null } : {}) }, secret };
		},
		async beforeCreate(tx, caller, input) {
			assertConfirmationRight(caller, input as ConnectionPatch, null);
			const { is_public } = input;
			if (is_public) await quotas.check(caller, "can_share", tx);
			await quotas.check(caller, "connections_max", tx);
		},
		beforeChange: async (_tx, caller, input, before) =>
			assertConfirmationRight(caller, input as ConnectionPatch, before),
		afterWrite: async () => {},
		reconnected: async () => {},
		beforeRemove: async () => {},
		refusal: (url) => controllers.refusal(url),
		forget: (id) => controllers.forget(id),
		present: (row, identity) => presentConnection(row, identity, policy),
		findProblem: ({ is_active, name }) =>
			is_active ? null : { problem: "inactive", message: `The controller connection "${name}" is not active.` },
		usable(row, session, secret): UsableConnection {
			const { id, name, url, alternate_urls, fabric_id, certificate_dn, pinned_certificate } = row;
			const isOneFabricConfirmed = row.is_one_fabric_confirmed;
			const pinnedCertificates = pinned_certificate?.split(",");
			const cluster = { alternateUrls: alternate_urls, fabricId: fabric_id, isOneFabricConfirmed };
			const address = { ...session, name, url, ...cluster, pinnedCertificates };
			const target =
				certificate_dn === null
					? { ...address, password: secret }
					: { ...address, certificateDn: certificate_dn, privateKey: secret };
			return { id, name, target };
		},
		test: (target: ControllerTarget, signal) => controllers.test(target, signal).catch(throwPresented),
		testColumns: (result: TestedCluster) => ({ last_test_status: result.ok, ...testedColumns(result, clock.now()) }),
		presentTest,
	});

	/**
	 * Recorded before the request is sent, so that the audit log has every request that may have
	 * changed a controller.
	 */
	async function recordWrite(caller: Caller, id: string, text: string, metadata: Record<string, unknown>) {
		await store.transaction((tx) =>
			events.changed(tx, caller, { targetType, targetId: id, description: `${caller.username} ${text}`, metadata }),
		);
	}

	/**
	 * Records the outcome of a recorded write. A failure to record is logged: the caller still gets
	 * the answer.
	 */
	async function recordOutcome(caller: Caller, id: string, text: string, metadata: Record<string, unknown>) {
		await recordWrite(caller, id, text, metadata).catch((error: unknown) =>
			log.error({ err: error, connectionId: id, ...metadata }, "the outcome of a write could not be recorded"),
		);
	}

	/**
	 * Learns to which fabric a saved connection with several addresses belongs, so that it can be
	 * used while `url` is down. Without an answer in time a test or a run learns it.
	 */
	async function identifyFabric(caller: Caller, shown: ControllerConnection): Promise<ControllerConnection> {
		const found = await stored.target(shown.id);
		if ("problem" in found || !isUnidentified(found.target)) return shown;
		const waiting = new AbortController();
		const late = clock.sleep(IDENTIFY_MS, waiting.signal).catch(() => undefined);
		await Promise.race([controllers.identify(found.target), late]);
		waiting.abort();
		await recorded();
		return stored.detail(caller, shown.id);
	}

	return {
		...stored,

		create: async (caller: Caller, input: Parameters<typeof stored.create>[1]) =>
			identifyFabric(caller, await stored.create(caller, input)),
		change: async (caller: Caller, id: string, input: Parameters<typeof stored.change>[2]) =>
			identifyFabric(caller, await stored.change(caller, id, input)),

		ownedCount: repo.ownedCount,
		named: repo.named,

		/** The answer as JSON; in pieces where it is large. */
		async execute(caller: Caller, input: ConnectionExecute, signal: AbortSignal) {
			const { connection_id, query_path: path, method, data } = input;
			if (!canSend(caller, method)) {
				throw buildForbiddenError(`You need the permission write_controllerconnection to send ${method}.`);
			}
			const row = await stored.requireVisible(caller, connection_id);
			await quotas.check(caller, "can_execute_queries");
			const found = stored.use(row);
			if ("problem" in found) throw invalidField("connection_id", found.message);
			const { id, name, target } = found;
			// Options and bodies may hold secrets.
			const place = path.split("?", 1)[0]?.slice(0, AUDITED_PATH_MAX);
			const change = { method, path: place };
			if (method === "GET") markUnchanged(caller);
			else await recordWrite(caller, id, `sends ${method} ${place} through "${name}"`, { ...change, phase: "sent" });
			const start = clock.now();
			let answer: ControllerAnswer;
			try {
				const body = method === "POST" || method === "PUT" ? (data ?? undefined) : undefined;
				answer = await controllers.request(target, { method, path, body, signal });
			} catch (error) {
				if (error instanceof ControllerError && method !== "GET") {
					await recordOutcome(caller, id, `got no success for ${method} ${place} through "${name}"`, {
						...change,
						phase: "failed",
						reason: error.kind,
						status: error.status ?? null,
					});
				}
				return throwPresented(error);
			}
			const execution_time_ms = clock.now() - start;
			if (method !== "GET") {
				await recordOutcome(caller, id, `got an answer to ${method} ${place} through "${name}"`, {
					...change,
					phase: "answered",
					status: answer.status,
				});
			}
			return encodePassedAnswer(answer, { execution_time_ms, connection: { id, name } });
		},
	};
}

const isUnidentified = ({ alternateUrls = [], fabricId = null }: ControllerTarget): boolean =>
	alternateUrls.length > 0 && fabricId === null;

function throwPresented(error: unknown): never {
	throw error instanceof ControllerError ? presentFailure(error) : error;
}
