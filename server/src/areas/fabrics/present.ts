/** Controller connections, test results and controllers' failures as the wire shows them. */
import type { ConnectionGroup, ControllerConnection } from "@weft/contracts";
import type { Identity } from "../../core/caller.ts";
import { type AppError, buildFieldError, buildUnavailableError, buildUpstreamError } from "../../core/errors.ts";
import type { ControllerError } from "../../integrations/apic/port-error.ts";
import type { ControllerTestResult, TestedMember } from "../../integrations/apic/port-test-result.ts";
import { type ConnectionModel, canWrite, isDefaultCandidate } from "./policy.ts";
import type { ShownGroup } from "./sql/groups.ts";
import type { ConnectionTable, OwnedConnection } from "./sql/stored.ts";

/** The fields that both kinds of connections have on the wire, except for the owner. */
export function presentStored(row: OwnedConnection<ConnectionTable>, identity: Identity, model: ConnectionModel) {
	return {
		id: row.id,
		name: row.name,
		description: row.description,
		username: row.username,
		verify_ssl: row.verify_ssl,
		timeout: row.timeout,
		is_public: row.is_public,
		is_default_candidate: isDefaultCandidate(identity, row),
		last_tested_at: row.last_tested_at?.toISOString() ?? null,
		last_test_message: row.last_test_message,
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
		can_edit: canWrite(identity, row, `change_${model}`),
		can_delete: canWrite(identity, row, `delete_${model}`),
	};
}

export function presentConnection(
	row: OwnedConnection<"controller_connections">,
	identity: Identity,
): ControllerConnection {
	return {
		...presentStored(row, identity, "controllerconnection"),
		url: row.url,
		alternate_urls: row.alternate_urls,
		fabric_id: row.fabric_id,
		is_one_fabric_confirmed: row.is_one_fabric_confirmed,
		members: [row.url, ...row.alternate_urls].map((url) => ({
			url,
			...(row.members[url] ?? { state: "unknown" as const, last_error: null, since: null }),
		})),
		auth_method: row.auth_method,
		certificate_dn: row.certificate_dn,
		private_key_configured: row.private_key_sealed !== "",
		pinned_certificate: row.pinned_certificate,
		is_active: row.is_active,
		last_test_status: row.last_test_status,
		created_by: row.owner,
	};
}

export const presentGroup = (row: ShownGroup, identity: Identity): ConnectionGroup => ({
	id: row.id,
	name: row.name,
	description: row.description,
	connection_ids: row.connection_ids,
	hidden_count: row.hidden_count,
	is_public: row.is_public,
	created_by: row.owner,
	created_at: row.created_at.toISOString(),
	updated_at: row.updated_at.toISOString(),
	can_edit: canWrite(identity, row, "change_controllerconnection"),
	can_delete: canWrite(identity, row, "delete_controllerconnection"),
});

/** The addresses that did not answer, or must not be asked. */
function formatUnusedMembers(members: readonly TestedMember[]): string {
	const list = members.flatMap(({ url, state }) =>
		url === null || state === "ok" || state === "unknown" ? [] : [`${url} (${state})`],
	);
	return list.length === 0 ? "" : ` Not in use: ${list.join(", ")}.`;
}

type FailedTest = Pick<Extract<ControllerTestResult, { ok: false }>, "ok" | "message" | "untrusted"> & {
	/** A kind of the driver, or that the stored secret cannot be read. */
	readonly kind: string;
};

export function presentTest(result: Extract<ControllerTestResult, { ok: true }> | FailedTest) {
	const certificates = result.untrusted?.map(({ validFrom, validTo, ...rest }) => ({
		...rest,
		valid_from: new Date(validFrom).toISOString(),
		valid_to: new Date(validTo).toISOString(),
	}));
	const untrusted = certificates === undefined ? {} : { untrusted_certificates: certificates };
	if (!result.ok) {
		return { success: false as const, message: result.message, reason: result.kind, ...untrusted };
	}
	const version = result.version === null ? "" : `, version ${result.version}`;
	return {
		success: true as const,
		message: `Signed in to the controller${version}.${formatUnusedMembers(result.members)}${result.doubt === null ? "" : ` ${result.doubt}`}`,
		latency_ms: Math.round(result.latencyMs),
		...(result.version === null ? {} : { controller_version: result.version }),
		fabric_id: result.fabricId ?? "",
		members: result.members.map(({ url, name, nodeId, address, answered, state, health, version }) => ({
			url,
			name,
			node_id: nodeId,
			address,
			answered,
			state,
			health,
			version,
		})),
		suggested_urls: [...result.suggestedUrls],
		...untrusted,
	};
}

/**
 * A pass-through request that failed: what the driver would not send is the caller's mistake, all
 * else is upstream.
 */
export function presentFailure(error: ControllerError): AppError {
	if (error.kind === "invalid" || (error.kind === "limit" && error.status === undefined)) {
		return buildFieldError("query_path", error.message);
	}
	if (error.kind === "cancelled") return buildUnavailableError("The request was cancelled: the service is stopping.");
	return buildUpstreamError(error.message, { timeout: error.kind === "timeout", status: error.status ?? null });
}
