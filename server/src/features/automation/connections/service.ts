/** Connections to automation servers: the stored kind, and discovery through them. */
import type { AutomationConnection, AutomationKind, DiscoveryQuery, ServerTemplateDetail } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller, Identity } from "../../../platform/caller.ts";
import { buildConflictError, invalidField } from "../../../platform/errors.ts";
import { type PageQuery, paginateRows } from "../../../platform/http/paging.ts";
import {
	type AutomationDriver,
	AutomationError,
	type AutomationTarget,
	type AutomationTestResult,
	type PageRequest,
	type ServerPage,
} from "../../../ports/automation-server.ts";
import type { Db, Tx } from "../../../ports/store.ts";
import {
	changeStoredConnection,
	createStoredConnection,
	findStoredConnection,
	findUsableConnection,
	listStoredConnections,
	type NewConnection,
	readStoredConnection,
	removeStoredConnection,
	requireUsableConnection,
	testStoredConnection,
} from "../../connections/service-stored.ts";
import type { ConnectionKind, Fields } from "../../connections/stored-kind.ts";
import { sealedColumns } from "../../connections/stored-secrets.ts";
import { assertApprovalRight, assertRemovable } from "./approval.ts";
import { presentConnection, presentFailure, presentTest } from "./present.ts";
import { createConnectionRepo } from "./repo.ts";

export interface ConnectionDeps {
	readonly ctx: Context;
	/** Called after a connection was written: launches may need approval that did not before. */
	approvalChanged(tx: Tx): Promise<void>;
	readonly automation: AutomationDriver;
	/** Whether executions that were launched through the connection are still followed. */
	inUse(db: Db, connectionId: string): Promise<boolean>;
	/** Called when a connection has new credentials or another address. */
	reconnected(tx: Tx, connectionId: string): Promise<void>;
}

/** A connection that may be used, with all that the driver needs. */
export interface UsableConnection {
	readonly id: string;
	readonly name: string;
	readonly baseUrl: string;
	/** Null before the first successful test. */
	readonly apiRoot: string | null;
	/** False: the token is read only; null where it is not known. */
	readonly canLaunch: boolean | null;
	readonly target: AutomationTarget;
}

const targetType = "automation_connection";
const TOKEN = { name: "token", field: "oauth_token", label: "token", exposure: "it would be sent" } as const;
export const automationConnectionSecrets = sealedColumns("automation_connections", targetType, [TOKEN]);

export function createConnectionService(deps: ConnectionDeps) {
	const { ctx, automation } = deps;
	const repo = createConnectionRepo();
	const kind: ConnectionKind<
		"automation_connections",
		AutomationConnection,
		UsableConnection,
		Extract<AutomationTestResult, { ok: true }>,
		ReturnType<typeof presentTest>
	> = {
		table: "automation_connections",
		model: "automationconnection",
		targetType,
		noun: "automation connection",
		secrets: [TOKEN],
		addressColumn: "base_url",
		sessionColumns: ["base_url", "username", "verify_ssl", "timeout"],
		resets: { api_root: null, server_version: null, can_launch: null },
		initial: { api_root: null, server_version: null, can_launch: null },
		getSecret: (row) => ({ ...TOKEN, sealed: row.token_sealed }),
		read: (_ctx, { oauth_token, ...values }) => ({
			values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
			secret: typeof oauth_token === "string" ? { ...TOKEN, value: oauth_token } : null,
		}),
		async beforeCreate(_ctx, tx, caller, { is_public, is_default, ...input }, id) {
			assertApprovalRight(caller, input, null);
			await ctx.quotas.check(caller, "can_use_automation", tx);
			if (is_public) await ctx.quotas.check(caller, "can_share", tx);
			await ctx.quotas.check(caller, "automation_connections_max", tx);
			if (is_default === true) await repo.clearOtherDefaults(tx, { id, ownerId: caller.userId, isPublic: is_public });
		},
		async beforeChange(_ctx, tx, caller, input, before) {
			assertApprovalRight(caller, input, before);
			const isShared = input.is_public === true && !before.is_public;
			if (input.is_default !== true && !(isShared && before.is_default && input.is_default !== false)) return;
			const { id, created_by: ownerId } = before;
			const isPublic = input.is_public ?? before.is_public;
			const isTeam = await repo.clearOtherDefaults(tx, { id, ownerId, isPublic });
			if (input.is_default === true && !isTeam && ownerId !== caller.userId) {
				throw invalidField(
					"is_default",
					"Only its owner makes a connection the default. The default of all users is a public connection of an administrator.",
				);
			}
		},
		afterWrite: (_ctx, tx) => deps.approvalChanged(tx),
		reconnected: (_ctx, tx, id) => deps.reconnected(tx, id),
		async beforeRemove(_ctx, tx, caller, row) {
			assertRemovable(caller, row);
			if (await deps.inUse(tx.db, row.id)) {
				throw buildConflictError("Jobs that were launched through this connection are not over yet.");
			}
		},
		refusal: (_ctx, url) => automation.refusal(url),
		forget: (_ctx, id) => automation.forget(id),
		present: presentConnection,
		findProblem: () => null,
		usable: ({ id, name, base_url: url, api_root, can_launch }, session, token) => ({
			id,
			name,
			baseUrl: url,
			apiRoot: api_root,
			canLaunch: can_launch,
			target: { ...session, url, token },
		}),
		test: (_ctx, target, signal) => translateServerErrors(automation.test(target, signal)),
		testColumns: (result) =>
			result.ok
				? {
						last_test_status: "success",
						api_root: result.root,
						server_version: result.version,
						can_launch: result.canLaunch,
					}
				: { last_test_status: "failed" },
		presentTest,
	};
	const stored = {
		list: (caller: Identity, query: PageQuery & { readonly search?: string | undefined }, url: string) =>
			listStoredConnections(ctx, kind, caller, query, url),
		detail: (caller: Identity, id: string) => readStoredConnection(ctx, kind, caller, id),
		create: (caller: Caller, input: NewConnection) => createStoredConnection(ctx, kind, caller, input),
		change: (caller: Caller, id: string, input: Fields) => changeStoredConnection(ctx, kind, caller, id, input),
		remove: (caller: Caller, id: string) => removeStoredConnection(ctx, kind, caller, id),
		test: (caller: Caller, id: string, signal: AbortSignal) => testStoredConnection(ctx, kind, caller, id, signal),
		findVisible: (identity: Identity, id: string) => findStoredConnection(ctx, kind, identity, id),
		usable: (identity: Identity, id: string) => requireUsableConnection(ctx, kind, identity, id),
		target: (id: string) => findUsableConnection(ctx, kind, id),
	};

	async function findList<Item>(
		caller: Identity,
		id: string,
		query: DiscoveryQuery,
		url: string,
		read: (target: AutomationTarget, page: PageRequest) => Promise<ServerPage<Item>>,
	) {
		const { target } = await stored.usable(caller, id);
		const request = { page: query.page, pageSize: query.page_size, search: query.search };
		const { count, items } = await translateServerErrors(read(target, request));
		return paginateRows(url, query, { count, rows: items }, (item) => item);
	}

	return {
		...stored,
		byHost: repo.byHost,

		templates: (caller: Identity, id: string, kind: AutomationKind, query: DiscoveryQuery, url: string) =>
			findList(caller, id, query, url, (target, page) => automation.templates(target, kind, page)),

		async template(
			caller: Identity,
			id: string,
			kind: AutomationKind,
			templateId: number,
			withinMs?: number,
		): Promise<ServerTemplateDetail> {
			const { target } = await stored.usable(caller, id);
			const {
				serverTime: _time,
				surveyVariables: _names,
				...shown
			} = await translateServerErrors(automation.template(target, kind, templateId, withinMs));
			return shown;
		},

		credentials: (caller: Identity, id: string, query: DiscoveryQuery, url: string) =>
			findList(caller, id, query, url, (target, page) => automation.credentials(target, page)),

		credentialTypes: (caller: Identity, id: string, query: DiscoveryQuery, url: string) =>
			findList(caller, id, query, url, (target, page) => automation.credentialTypes(target, page)),

		/** A connection that the identity sees. @throws 400 under the field */
		async named(identity: Identity, id: string, field: string): Promise<{ id: string; name: string }> {
			const row = await stored.findVisible(identity, id);
			if (row === null) throw invalidField(field, "There is no such connection that you can see.");
			return { id: row.id, name: row.name };
		},

		/** The identity's own default, or else that of all users; null if there is neither. */
		async findDefault(identity: Identity): Promise<{ id: string; name: string } | null> {
			const id = await repo.findDefaultId(ctx.store.db, identity.userId);
			const row = id === null ? null : await stored.findVisible(identity, id);
			return row === null ? null : { id: row.id, name: row.name };
		},
	};
}
export type ConnectionService = ReturnType<typeof createConnectionService>;

/** The server's answer. @throws AppError for a failure of the server */
async function translateServerErrors<T>(work: Promise<T>): Promise<T> {
	return work.catch((error: unknown) => {
		throw error instanceof AutomationError ? presentFailure(error) : error;
	});
}
