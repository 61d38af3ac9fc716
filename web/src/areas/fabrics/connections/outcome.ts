/** The result of a connection test, with a remedy if it failed. */
import type { ControllerConnection, UntrustedCertificate } from "@weft/contracts";
import { connectionRoutes } from "@weft/contracts/browser";
import { WeftError } from "@weft/sdk";
import { callRoute } from "../../../platform/call.ts";

export type TestOutcome = { readonly untrusted_certificates?: readonly UntrustedCertificate[] | undefined } & (
	| {
			readonly success: true;
			readonly message: string;
			readonly latency_ms: number;
			readonly controller_version?: string | undefined;
			readonly suggested_urls: readonly string[];
	  }
	| { readonly success: false; readonly message: string; readonly advice: string }
);

const ADVICE: Readonly<Record<string, string>> = {
	refused: "Check the address and the port, and that a firewall lets this service through.",
	dns: "Check the spelling of the host, and the name servers of the machine that Weft runs on.",
	tls: "Trust this certificate below if its fingerprint is the controller's, or install one of a known issuer there.",
	timeout: "The controller may be busy or out of reach. A longer timeout may help.",
	reset: "Something between here and the controller drops the connection.",
	credentials: "Check name and password. A login domain is written apic:DOMAIN\\\\name.",
	not_a_controller: "Check that the address is the controller's own, without a path.",
	throttled: "The controller takes no more logins for now. Wait a minute, then test again.",
	busy: "Test again in a minute.",
	other_fabric: "Remove the address from this connection, and make a connection of its own for that fabric.",
	no_member: "Repair the cluster, or add the address of a controller that is fully fit.",
	password_unreadable: "Enter the password again and save.",
};

const CERTIFICATE_ADVICE: Readonly<Record<string, string>> = {
	...ADVICE,
	credentials: "Check the DN of the certificate, and that the private key belongs to it.",
	private_key_unreadable: "Enter the private key again and save.",
};

/** @throws for everything but the two outcomes */
export async function testConnection({
	id,
	auth_method,
}: Pick<ControllerConnection, "id" | "auth_method">): Promise<TestOutcome> {
	try {
		return await callRoute(connectionRoutes.test, { params: { id } });
	} catch (error) {
		const body =
			error instanceof WeftError && error.status === 400
				? (error.body as { message?: unknown; reason?: unknown; untrusted_certificates?: UntrustedCertificate[] })
				: null;
		if (typeof body?.message !== "string") throw error;
		const advice = auth_method === "certificate" ? CERTIFICATE_ADVICE : ADVICE;
		return {
			success: false,
			message: body.message,
			advice: advice[String(body.reason)] ?? "",
			untrusted_certificates: body.untrusted_certificates ?? [],
		};
	}
}
