/** Says in the forms of templates and requests that only constants arrive at the job. */
import { Banner } from "../../ui/page.tsx";

interface OnlyConstantsProps {
	/** Names of the columns of all sheets. */
	readonly columns: readonly string[];
	readonly constants: Readonly<Record<string, unknown>>;
}

/** Nothing where the job gets rows, and no constant has the name of a column. */
export function OnlyConstants({ columns, constants }: OnlyConstantsProps) {
	const names = Object.keys(constants);
	const same = names.filter((name) => columns.includes(name));
	if (columns.length === 0) {
		const arriving = names.length === 0 ? "There are none." : `They are ${names.join(", ")}.`;
		return <Banner tone="info" title="There are no columns: only constants arrive at the job." detail={arriving} />;
	}
	if (same.length === 0) return null;
	return (
		<Banner
			tone="info"
			title={`Only constants arrive in ${same.join(", ")}, the same for all rows.`}
			detail="Cells of these columns arrive in the list of rows. The playbook must read them there."
		/>
	);
}
