/** The choice of two different fabrics, and a button that swaps them. */
import { ArrowLeftRight } from "lucide-react";
import { IconButton } from "../../ui/button.tsx";
import { type Option, SelectField } from "../../ui/field.tsx";
import type { Both } from "./fabric-lines.ts";

interface PairFieldsProps {
	readonly options: readonly Option[];
	readonly value: Both<string>;
	onChange(first: string, second: string): void;
}

/** A fabric that is chosen for one end while it is the other one swaps both. */
export function PairFields({ options, value: [first, second], onChange }: PairFieldsProps) {
	return (
		<>
			<SelectField
				label="Fabric"
				value={first}
				options={options}
				onChange={({ target }) => onChange(target.value, target.value === second ? first : second)}
			/>
			<IconButton label="Swap the fabrics" icon={ArrowLeftRight} onClick={() => onChange(second, first)} />
			<SelectField
				label="Compared with"
				value={second}
				options={options}
				onChange={({ target }) => onChange(target.value === first ? second : first, target.value)}
			/>
		</>
	);
}
