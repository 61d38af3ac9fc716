/** Connections to automation servers: the stored kind, and discovery through them. */
import type {
	AutomationConnection,
	AutomationConnectionCreate,
	AutomationConnectionPatch,
	AutomationKind,
	DiscoveryQuery,
	ServerTemplateDetail,
} from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import { buildConflictError, buildFieldError } from "../../../core/errors.ts";
import { paginateRows } from "../../../core/http/paging.ts";
import {
	AutomationError,
	type AutomationTarget,
	type AutomationTestResult,
	type PageRequest,
	type ServerPage,
} from "../../../integrations/awx/port.ts";
import {
	changeStoredConnection,
	createStoredConnection,
	findStoredConnection,
	findUsableConnection,
	listStoredConnections,
	readStoredConnection,
	removeStoredConnection,
	requireUsableConnection,
	testStoredConnection,
} from "../../fabrics/manage-stored-connections.ts";
import type { ConnectionKind, UnusableConnection } from "../../fabrics/stored-kind.ts";
import { listSealedColumns } from "../../fabrics/stored-secrets.ts";
import { askApprovalForConnections } from "../jobs/request/approval-requirement.ts";
import { hasOpenExecutions } from "../jobs/sql/executions.ts";
import { restartPolls } from "../jobs/sql/polls.ts";
import { assertApprovalRight, assertRemovable } from "./approval.ts";
import { presentConnection, presentFailure, presentTest } from "./present.ts";
import { clearOtherDefaults, findDefaultConnectionId } from "./sql.ts";

/** A connection that may be used, with all that the driver needs. */
interface UsableConnection {
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
export const automationConnectionSecrets = listSealedColumns("automation_connections", targetType, [TOKEN]);

const SERVER_KIND: ConnectionKind<
	"automation_connections",
	AutomationConnection,
	UsableConnection,
	Extract<AutomationTestResult, { ok: true }>,
	ReturnType<typeof presentTest>
> = {
	model: "automationconnection",
	table: "automation_connections",
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
	async beforeCreate(ctx, tx, caller, { is_public, is_default, ...input }, id) {
		assertApprovalRight(caller, input, null);
		await ctx.quotas.check(caller, "can_use_automation", tx);
		if (is_public) await ctx.quotas.check(caller, "can_share", tx);
		await ctx.quotas.check(caller, "automation_connections_max", tx);
		if (is_default === true) await clearOtherDefaults(tx, { id, ownerId: caller.userId, isPublic: is_public });
	},
	async beforeChange(_ctx, tx, caller, input, before) {
		assertApprovalRight(caller, input, before);
		const isShared = input.is_public === true && !before.is_public;
		if (input.is_default !== true && !(isShared && before.is_default && input.is_default !== false)) return;
		const { id, created_by: ownerId } = before;
		const isPublic = input.is_public ?? before.is_public;
		const isTeam = await clearOtherDefaults(tx, { id, ownerId, isPublic });
		if (input.is_default === true && !isTeam && ownerId !== caller.userId) {
			throw buildFieldError(
				"is_default",
				"Only its owner makes a connection the default. The default of all users is a public connection of an administrator.",
			);
		}
	},
	afterWrite: askApprovalForConnections,
	reconnected: (ctx, tx, id) => restartPolls(tx, id, getNow(ctx)),
	async beforeRemove(_ctx, tx, caller, row) {
		assertRemovable(caller, row);
		if (await hasOpenExecutions(tx.db, row.id)) {
			throw buildConflictError("Jobs that were launched through this connection are not over yet.");
		}
	},
	refusal: (ctx, url) => ctx.automation.refusal(url),
	forget: (ctx, id) => ctx.automation.forget(id),
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
	test: (ctx, target, signal) => translateServerErrors(ctx.automation.test(target, signal)),
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

export const listConnections = (ctx: Context, caller: Identity, query: DiscoveryQuery, url: string) =>
	listStoredConnections(ctx, SERVER_KIND, caller, query, url);

export const readConnection = (ctx: Context, caller: Identity, id: string) =>
	readStoredConnection(ctx, SERVER_KIND, caller, id);

export const createConnection = (ctx: Context, caller: Caller, input: AutomationConnectionCreate) =>
	createStoredConnection(ctx, SERVER_KIND, caller, input);

/** Writes only the given fields. */
export const changeConnection = (ctx: Context, caller: Caller, id: string, input: AutomationConnectionPatch) =>
	changeStoredConnection(ctx, SERVER_KIND, caller, id, input);

export const removeConnection = (ctx: Context, caller: Caller, id: string) =>
	removeStoredConnection(ctx, SERVER_KIND, caller, id);

/** Signs in through the connection and records the outcome. */
export const testConnection = (ctx: Context, caller: Caller, id: string, signal: AbortSignal) =>
	testStoredConnection(ctx, SERVER_KIND, caller, id, signal);

/** For background work, whose right to the connection was checked before. */
export const findServer = (ctx: Context, id: string): Promise<UsableConnection | UnusableConnection> =>
	findUsableConnection(ctx, SERVER_KIND, id);

/** A connection that the identity sees. @throws 400 under the field */
export async function requireConnection(
	ctx: Context,
	identity: Identity,
	id: string,
	field: string,
): Promise<{ id: string; name: string }> {
	const row = await findStoredConnection(ctx, SERVER_KIND, identity, id);
	if (row === null) throw buildFieldError(field, "There is no such connection that you can see.");
	return { id: row.id, name: row.name };
}

/** The identity's own default, or else that of all users; null if there is neither. */
export async function findDefaultConnection(
	ctx: Context,
	identity: Identity,
): Promise<{ id: string; name: string } | null> {
	const id = await findDefaultConnectionId(ctx.store.db, identity.userId);
	const row = id === null ? null : await findStoredConnection(ctx, SERVER_KIND, identity, id);
	return row === null ? null : { id: row.id, name: row.name };
}

async function listFromServer<Item>(
	ctx: Context,
	caller: Identity,
	id: string,
	query: DiscoveryQuery,
	url: string,
	read: (target: AutomationTarget, page: PageRequest) => Promise<ServerPage<Item>>,
) {
	const { target } = await requireUsableConnection(ctx, SERVER_KIND, caller, id);
	const request = { page: query.page, pageSize: query.page_size, search: query.search };
	const { count, items } = await translateServerErrors(read(target, request));
	return paginateRows(url, query, { count, rows: items }, (item) => item);
}

export const listServerTemplates = (
	ctx: Context,
	caller: Identity,
	id: string,
	kind: AutomationKind,
	query: DiscoveryQuery,
	url: string,
) => listFromServer(ctx, caller, id, query, url, (target, page) => ctx.automation.templates(target, kind, page));

export const listServerCredentials = (ctx: Context, caller: Identity, id: string, query: DiscoveryQuery, url: string) =>
	listFromServer(ctx, caller, id, query, url, (target, page) => ctx.automation.credentials(target, page));

export const listServerCredentialTypes = (
	ctx: Context,
	caller: Identity,
	id: string,
	query: DiscoveryQuery,
	url: string,
) => listFromServer(ctx, caller, id, query, url, (target, page) => ctx.automation.credentialTypes(target, page));

/**
 * A template as the server has it.
 * @throws AppError where the server does not show it, or does not answer within `withinMs`
 */
export async function readServerTemplate(
	ctx: Context,
	caller: Identity,
	id: string,
	kind: AutomationKind,
	templateId: number,
	withinMs?: number,
): Promise<ServerTemplateDetail> {
	const { target } = await requireUsableConnection(ctx, SERVER_KIND, caller, id);
	const {
		serverTime: _time,
		surveyVariables: _names,
		...shown
	} = await translateServerErrors(ctx.automation.template(target, kind, templateId, withinMs));
	return shown;
}

/** The server's answer. @throws AppError for a failure of the server */
async function translateServerErrors<T>(work: Promise<T>): Promise<T> {
	return work.catch((error: unknown) => {
		throw error instanceof AutomationError ? presentFailure(error) : error;
	});
}
