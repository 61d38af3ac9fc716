/** Results of the pre-upgrade script as answers and reports show them. */
import type { WindowEvidence } from "@weft/contracts";
import type { EvidenceRow } from "./sql/evidence.ts";

export const presentEvidence = ({
	id,
	connection_id,
	connection_name,
	attached_by,
	attached_at,
	is_late,
	files,
	sha256,
	content,
}: Omit<EvidenceRow, "bytes" | "window_id">): WindowEvidence => ({
	id,
	connection_id,
	connection: connection_name,
	attached_by,
	attached_at: attached_at.toISOString(),
	late: is_late,
	files,
	sha256,
	...content,
});
