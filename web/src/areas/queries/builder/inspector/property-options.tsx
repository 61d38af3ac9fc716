/** Properties of a class as proposals of a field. */
import type { ModelProperty } from "@weft/contracts";

type Property = Pick<ModelProperty, "name" | "label" | "naming" | "configurable">;

interface PropertyOptionsProps {
	/** Id that fields refer to. */
	readonly id: string;
	readonly properties: readonly Property[];
}

export function PropertyOptions({ id, properties }: PropertyOptionsProps) {
	return (
		<datalist id={id}>
			{properties.map(({ name, label, naming }) => (
				<option key={name} value={name}>
					{naming ? `${label} (naming)` : label}
				</option>
			))}
		</datalist>
	);
}
