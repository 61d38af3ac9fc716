/** Connections, test results and the servers' failures as the wire shows them. */
import type { AutomationConnection } from "@weft/contracts";
import type { Identity } from "../../../core/caller.ts";
import { type AppError, buildNotFoundError, buildUnavailableError, buildUpstreamError } from "../../../core/errors.ts";
import type { AutomationError, AutomationTestResult } from "../../../integrations/awx/port.ts";
import { presentStored } from "../../fabrics/present.ts";
import type { OwnedConnection } from "../../fabrics/sql/stored.ts";

export function presentConnection(
	row: OwnedConnection<"automation_connections">,
	identity: Identity,
): AutomationConnection {
	const stored = presentStored(row, identity, "automationconnection");
	return {
		...stored,
		can_delete: stored.can_delete && (identity.isAdmin || row.approval !== "always"),
		approval: row.approval,
		free_job_template_ids: row.free_job_template_ids,
		base_url: row.base_url,
		token_configured: row.token_sealed !== "",
		is_default: row.is_default && stored.is_default_candidate,
		server_version: row.server_version,
		can_launch: row.can_launch,
		last_test_status: row.last_test_status,
		created_by: row.owner,
	};
}

/** Why nothing can be launched through a connection. */
export const readOnlyToken = (name: string): string =>
	`The token of the connection "${name}" is read only. Enter one with the scope write, or test the connection again.`;

const READ_ONLY = "The token is read only: jobs cannot be launched with it. Make one with the scope write.";

interface FailedTest {
	readonly ok: false;
	/** A kind of the driver, or that the stored token cannot be read. */
	readonly kind: string;
	readonly message: string;
}

export function presentTest(result: Extract<AutomationTestResult, { ok: true }> | FailedTest) {
	if (!result.ok) return { success: false as const, message: result.message, reason: result.kind };
	const name = result.product === "" ? "the automation server" : result.product;
	const version = result.version === null ? "" : ` ${result.version}`;
	const scope = result.canLaunch === false ? [READ_ONLY] : [];
	const notes = [...scope, ...result.warnings].map((warning) => ` ${warning}`).join("");
	return {
		success: true as const,
		message: `Signed in to ${name}${version} as ${result.username}.${notes}`,
		server_version: result.version,
		can_launch: result.canLaunch,
		latency_ms: Math.round(result.latencyMs),
	};
}

/** Characters of the server's words that an answer has. */
const MESSAGE_MAX = 1_000;

/** The answer to a request that failed on the automation server. */
export function presentFailure(error: AutomationError): AppError {
	if (error.kind === "not_found") return buildNotFoundError(error.message);
	if (error.kind === "cancelled") return buildUnavailableError("The request was cancelled: the service is stopping.");
	return buildUpstreamError(error.message.slice(0, MESSAGE_MAX).toWellFormed(), {
		timeout: error.kind === "timeout",
		status: error.status,
	});
}
