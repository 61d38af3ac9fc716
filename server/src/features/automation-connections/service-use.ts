/** Using a connection: the test, discovery, and targets for the features that launch. */
import type { AutomationKind, DiscoveryQuery, ServerTemplateDetail } from "@weft/contracts";
import type { Caller, Identity } from "../../platform/caller.ts";
import { forbidden, invalidField, notFound, refused } from "../../platform/errors.ts";
import { unchanged } from "../../platform/events.ts";
import { paginate } from "../../platform/http/paging.ts";
import {
	AutomationError,
	type AutomationTarget,
	type AutomationTestResult,
	type PageRequest,
	type ServerPage,
} from "../../ports/automation-server.ts";
import { canEdit, canSee } from "./policy.ts";
import { presentFailure, presentTest, type TestAnswer, UNREADABLE } from "./present.ts";
import type { ConnectionRow } from "./repo.ts";
import { about, type ConnectionDeps, tokenContext } from "./service.ts";

/** A connection that may be used, with all that the driver needs. */
export interface UsableConnection {
	readonly id: string;
	readonly name: string;
	readonly baseUrl: string;
	/** Null before the first good test. */
	readonly apiRoot: string | null;
	readonly target: AutomationTarget;
}

/** Why a connection cannot be used; the message is for the user. */
export interface UnusableConnection {
	readonly problem: "deleted" | "token_unreadable";
	readonly message: string;
}

const MESSAGE_MAX = 1000;

export function createConnectionUse(deps: ConnectionDeps) {
	const { store, repo, clock, secrets, events, automation, log } = deps;

	/** Null when the token cannot be read. */
	function targetFor(row: ConnectionRow): AutomationTarget | null {
		let token: string;
		try {
			token = secrets.open(row.token_sealed, tokenContext(row.id));
		} catch (error) {
			log.error({ err: error, connectionId: row.id }, "the token of an automation connection cannot be read");
			return null;
		}
		const { id, base_url: url, username, verify_ssl: verifyTls } = row;
		return { id, revision: String(row.revision), url, username, token, verifyTls, timeoutMs: row.timeout * 1000 };
	}

	function use(row: ConnectionRow | undefined): UsableConnection | UnusableConnection {
		if (row === undefined) return { problem: "deleted", message: "The automation connection does not exist any more." };
		const target = targetFor(row);
		if (target === null) return { problem: UNREADABLE.kind, message: UNREADABLE.message };
		return { id: row.id, name: row.name, baseUrl: row.base_url, apiRoot: row.api_root, target };
	}

	async function visible(identity: Identity, id: string): Promise<ConnectionRow | null> {
		const row = await repo.find(store.db, id);
		return row !== undefined && canSee(identity, row) ? row : null;
	}

	/** 404 where it is not visible, 400 where it cannot be used. */
	async function usable(identity: Identity, id: string): Promise<UsableConnection> {
		const row = await visible(identity, id);
		if (row === null) throw notFound();
		const found = use(row);
		if ("target" in found) return found;
		throw refused(found.message);
	}

	/** What the server says, or the answer for a server that does not. */
	async function ask<T>(work: Promise<T>): Promise<T> {
		return work.catch((error: unknown) => {
			throw error instanceof AutomationError ? presentFailure(error) : error;
		});
	}

	async function list<Item>(
		caller: Identity,
		id: string,
		query: DiscoveryQuery,
		url: string,
		read: (target: AutomationTarget, page: PageRequest) => Promise<ServerPage<Item>>,
	) {
		const { target } = await usable(caller, id);
		const request = { page: query.page, pageSize: query.page_size, search: query.search };
		const { count, items } = await ask(read(target, request));
		return paginate(url, query, { count, rows: items }, (item) => item);
	}

	async function record(caller: Caller, row: ConnectionRow, result: AutomationTestResult | typeof UNREADABLE) {
		const answer = presentTest(result);
		await store.transaction(async (tx) => {
			await repo.update(tx, row.id, {
				last_tested_at: new Date(clock.now()),
				last_test_status: answer.success ? "success" : "failed",
				last_test_message: answer.message.slice(0, MESSAGE_MAX),
			});
			if (result.ok) {
				// A change of the connection meanwhile made what was found here outdated.
				const now = await repo.lock(tx, row.id);
				if (now?.revision === row.revision) {
					await repo.update(tx, row.id, { api_root: result.root, server_version: result.version });
				}
			}
			await events.changed(tx, caller, {
				...about(row),
				description: `${caller.username} tested the automation connection "${row.name}", which ${answer.success ? "works" : "failed"}`,
				metadata: { success: answer.success, ...(answer.success ? {} : { reason: answer.reason }) },
			});
		});
		return answer;
	}

	return {
		usable,
		ask,

		async test(caller: Caller, id: string, signal: AbortSignal): Promise<TestAnswer> {
			const row = await visible(caller, id);
			if (row === null) throw notFound();
			if (!canEdit(caller, row)) throw forbidden("Only the owner of a connection and administrators may test it.");
			const target = targetFor(row);
			if (target === null) return record(caller, row, UNREADABLE);
			const result = await automation.test(target, signal).catch((error: unknown) => {
				if (!(error instanceof AutomationError)) throw error;
				unchanged(caller);
				throw presentFailure(error);
			});
			return record(caller, row, result);
		},

		templates: (caller: Identity, id: string, kind: AutomationKind, query: DiscoveryQuery, url: string) =>
			list(caller, id, query, url, (target, page) => automation.templates(target, kind, page)),

		async template(
			caller: Identity,
			id: string,
			kind: AutomationKind,
			templateId: number,
		): Promise<ServerTemplateDetail> {
			const { target } = await usable(caller, id);
			const {
				serverTime: _time,
				surveyVariables: _names,
				...shown
			} = await ask(automation.template(target, kind, templateId));
			return shown;
		},

		credentials: (caller: Identity, id: string, query: DiscoveryQuery, url: string) =>
			list(caller, id, query, url, (target, page) => automation.credentials(target, page)),

		credentialTypes: (caller: Identity, id: string, query: DiscoveryQuery, url: string) =>
			list(caller, id, query, url, (target, page) => automation.credentialTypes(target, page)),

		/** For the body of a create: a connection that the caller sees, or 400 under the field. */
		async named(identity: Identity, id: string, field: string): Promise<{ id: string; name: string }> {
			const row = await visible(identity, id);
			if (row === null) throw invalidField(field, "There is no such connection that you can see.");
			return { id: row.id, name: row.name };
		},

		/** The default connection if the caller sees it. */
		async ofDefault(identity: Identity): Promise<{ id: string; name: string } | null> {
			const row = await repo.findDefault(store.db);
			return row !== undefined && canSee(identity, row) ? { id: row.id, name: row.name } : null;
		},

		/** For background work, whose right to the connection was checked before: asks for no one's visibility. */
		async target(id: string): Promise<UsableConnection | UnusableConnection> {
			return use(await repo.find(store.db, id));
		},
	};
}
export type ConnectionUse = ReturnType<typeof createConnectionUse>;
