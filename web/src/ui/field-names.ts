/** Replaces the names of fields in messages of the service with the labels of the form. */

/** A name as the service writes it, such as `timeout_s`. */
const FIELD_NAME = /\b[a-z]+(?:_[a-z]+)+\b/g;

/**
 * Writes the labels of fields instead of their names. Names without a label stay.
 * @param findLabel returns null for a name that is no field of the form
 */
export const writeLabels = (message: string, findLabel: (name: string) => string | null): string =>
	message.replace(FIELD_NAME, (name) => {
		const label = findLabel(name);
		return label === null ? name : `"${label}"`;
	});

/**
 * Finds the label of a field. A field without a `name` has it as `data-field`; a group of fields
 * has a legend.
 */
export function findLabel(form: Element, name: string): string | null {
	const field = form.querySelector(`[name="${name}"], [data-field="${name}"]`);
	if (field === null) return null;
	const isControl =
		field instanceof HTMLInputElement || field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement;
	const label = isControl ? field.labels?.[0] : field.querySelector("legend");
	return label?.textContent?.trim() || null;
}
