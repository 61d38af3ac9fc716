/** The fields of a server that decide which launches need approval. For administrators. */
import { SelectField, TextField } from "../../ui/field.tsx";
import type { ServerApproval } from "./free-templates.ts";

interface ServerApprovalFieldsProps {
	readonly approval: ServerApproval;
	/** The ids as they are typed. */
	readonly free: string;
	readonly errors: Readonly<Record<string, string>>;
	onApproval(approval: ServerApproval): void;
	onFree(free: string): void;
}

export function ServerApprovalFields({ approval, free, errors, onApproval, onFree }: ServerApprovalFieldsProps) {
	const refusedId = Object.entries(errors).find(([field]) => field.startsWith("free_job_template_ids"))?.[1];
	return (
		<>
			<SelectField
				label="Approval of launches"
				hint="Always: no template can switch approval off, on any connection with this host. Dry runs need approval too."
				options={[
					{ value: "always", label: "Always" },
					{ value: "by_template", label: "Only if the template asks for it" },
				]}
				value={approval}
				error={errors.approval}
				onChange={(event) => onApproval(event.target.value as ServerApproval)}
			/>
			{approval === "always" && (
				<TextField
					mono
					label="Job templates that need no approval"
					hint="Ids on the server, with commas between them: lookups and reports that change nothing."
					placeholder="7, 12"
					value={free}
					error={refusedId}
					onChange={(event) => onFree(event.target.value)}
				/>
			)}
		</>
	);
}
