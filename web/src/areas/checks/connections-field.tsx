/** The fabrics that a check looks at. */

import { formatPlural } from "../../platform/format.ts";
import { useConnections } from "../../platform/target.ts";
import { CheckField } from "../../ui/field.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";
import { Loaded } from "../../ui/page.tsx";

interface ConnectionsFieldProps {
	readonly chosen: readonly string[];
	/** Name of the fabric that is taken where none is chosen. */
	readonly fallback?: string | undefined;
	readonly error?: string | undefined;
	onChange(ids: string[]): void;
}

export function ConnectionsField({ chosen, fallback, error, onChange }: ConnectionsFieldProps) {
	const answer = useConnections();
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-1.5 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">Fabrics</legend>
			<Loaded answer={answer} lines={2}>
				{({ results }) => {
					const hidden = chosen.filter((id) => !results.some((connection) => connection.id === id)).length;
					return (
						<>
							{results
								.filter(({ id, is_active }) => is_active || chosen.includes(id))
								.map(({ id, name, is_active }) => (
									<CheckField
										key={id}
										label={is_active ? name : `${name} (switched off)`}
										checked={chosen.includes(id)}
										onChange={(event) =>
											onChange(event.target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
										}
									/>
								))}
							<p className="m-0 text-muted text-xs">
								{chosen.length === 0 &&
									(fallback === undefined
										? "None chosen: the check looks at every fabric that the query runs on."
										: `None chosen: it runs on the default fabric, ${fallback}.`)}
								{hidden > 0 && `And ${formatPlural(hidden, "fabric")} that you do not see.`}
							</p>
						</>
					);
				}}
			</Loaded>
			{error && <GroupMessage text={error} />}
		</fieldset>
	);
}
