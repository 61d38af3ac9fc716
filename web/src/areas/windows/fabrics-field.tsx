/** The fabrics of a change window. */

import { useConnections } from "../../platform/target.ts";
import { CheckField } from "../../ui/field.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";
import { Loaded } from "../../ui/page.tsx";

interface FabricsFieldProps {
	readonly chosen: readonly string[];
	readonly error: string | undefined;
	onChange(ids: readonly string[]): void;
}

export function FabricsField({ chosen, error, onChange }: FabricsFieldProps) {
	const answer = useConnections();
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-1.5 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">Fabrics</legend>
			<Loaded answer={answer} lines={2}>
				{({ results }) =>
					results
						.filter(({ id, is_active }) => is_active || chosen.includes(id))
						.map(({ id, name }) => (
							<CheckField
								key={id}
								label={name}
								checked={chosen.includes(id)}
								onChange={({ target }) =>
									onChange(target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
								}
							/>
						))
				}
			</Loaded>
			{error && <GroupMessage text={error} />}
		</fieldset>
	);
}
