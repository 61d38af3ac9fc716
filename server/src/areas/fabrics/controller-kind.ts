/** Connections to controllers, as one kind of stored connections. */
import type { ConnectionPatch, ControllerConnection } from "@weft/contracts";
import type { ControllerTarget } from "../../integrations/apic/port.ts";
import { ControllerError } from "../../integrations/apic/port-error.ts";
import type { ControllerTestResult } from "../../integrations/apic/port-test-result.ts";
import {
	assertConfirmationRight,
	assertDistinct,
	buildTestedColumns,
	readConfirmation,
} from "./confirm-cluster-change.ts";
import { type LoginInput, PASSWORD, PRIVATE_KEY, readLogin } from "./controller-login.ts";
import { presentConnection, presentFailure, presentTest } from "./present.ts";
import { buildReachColumns } from "./sql/reach.ts";
import type { ConnectionKind } from "./stored-kind.ts";
import { listSealedColumns } from "./stored-secrets.ts";

/** A connection that may be used, with all that the driver needs. */
export interface UsableConnection {
	readonly id: string;
	readonly name: string;
	readonly target: ControllerTarget;
}

const TARGET_TYPE = "controller_connection";
const SECRETS = [PASSWORD, PRIVATE_KEY];
export const connectionSecrets = listSealedColumns("controller_connections", TARGET_TYPE, SECRETS);

export function throwPresented(error: unknown): never {
	throw error instanceof ControllerError ? presentFailure(error) : error;
}

export const CONTROLLER_KIND: ConnectionKind<
	"controller_connections",
	ControllerConnection,
	UsableConnection,
	Extract<ControllerTestResult, { ok: true }>,
	ReturnType<typeof presentTest>
> = {
	table: "controller_connections",
	model: "controllerconnection",
	targetType: TARGET_TYPE,
	noun: "controller connection",
	secrets: SECRETS,
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
	resets: { members: "{}", down_since: null, down_error: "", reached_at: null },
	initial: { last_test_status: null },
	getSecret: (row) =>
		row.auth_method === "certificate"
			? { ...PRIVATE_KEY, sealed: row.private_key_sealed }
			: { ...PASSWORD, sealed: row.password_sealed },
	read(ctx, input, before) {
		const {
			password: _password,
			certificate_name: _name,
			private_key: _key,
			private_key_passphrase: _,
			...rest
		} = input;
		const { values, secret } = readLogin(ctx, input as LoginInput, before);
		assertDistinct(input as ConnectionPatch, before);
		const moves = before !== null && input.url !== undefined && input.url !== before.url;
		const is_one_fabric_confirmed = readConfirmation(input as ConnectionPatch, before);
		return { values: { ...rest, ...values, is_one_fabric_confirmed, ...(moves ? { fabric_id: null } : {}) }, secret };
	},
	async beforeCreate(ctx, tx, caller, input) {
		assertConfirmationRight(caller, input as ConnectionPatch, null);
		if (input.is_public) await ctx.quotas.check(caller, "can_share", tx);
		await ctx.quotas.check(caller, "connections_max", tx);
	},
	beforeChange: async (_ctx, _tx, caller, input, before) =>
		assertConfirmationRight(caller, input as ConnectionPatch, before),
	refusal: (ctx, url) => ctx.controllers.refusal(url),
	forget: (ctx, id) => ctx.controllers.forget(id),
	present: presentConnection,
	findProblem: ({ is_active, name }) =>
		is_active ? null : { problem: "inactive", message: `The controller connection "${name}" is not active.` },
	usable(row, session, secret) {
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
	test: (ctx, target, signal) => ctx.controllers.test(target, signal).catch(throwPresented),
	testColumns: (result, now) => ({
		last_test_status: result.ok,
		...buildReachColumns(result.ok ? { isUp: true } : { isUp: false, error: presentTest(result).message }, now),
		...buildTestedColumns(result, now),
	}),
	presentTest,
};
