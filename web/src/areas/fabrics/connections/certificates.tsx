/** Certificates that a test met and nothing trusts: what to compare, and trusting one. */
import type { UntrustedCertificate } from "@weft/contracts";
import { ShieldCheck } from "lucide-react";
import { useTimes } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { Panel } from "../../../ui/page.tsx";

interface Props {
	readonly certificates: readonly UntrustedCertificate[];
	onTrust(fingerprint: string): void;
}

export function UntrustedCertificates({ certificates, onTrust }: Props) {
	const times = useTimes();
	return certificates.map(({ url, fingerprint, subject, issuer, valid_from, valid_to }) => (
		<Panel key={url} title={`Certificate of ${new URL(url).host}`} padded>
			<dl className="m-0 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
				<dt className="text-muted">Issued to</dt>
				<dd className="m-0">{subject || "no name"}</dd>
				<dt className="text-muted">Issued by</dt>
				<dd className="m-0">{issuer === subject ? "itself" : issuer || "no name"}</dd>
				<dt className="text-muted">Valid</dt>
				<dd className="m-0">
					{times.dateTime(valid_from)} to {times.dateTime(valid_to)}
				</dd>
				<dt className="text-muted">SHA-256</dt>
				<dd className="mono m-0 break-all text-xs">{fingerprint}</dd>
			</dl>
			<p className="m-0 my-2 text-muted">
				Compare the fingerprint with the one that the controller itself shows. Nothing was sent to this address.
			</p>
			<Button icon={ShieldCheck} onClick={() => onTrust(fingerprint)}>
				Trust this certificate
			</Button>
		</Panel>
	));
}
