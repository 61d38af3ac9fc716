/** Addresses of controllers as they are typed. */

/** An address that is written without a scheme is meant with https. */
export const withScheme = (address: string): string => {
	const text = address.trim();
	return text === "" || /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
};

export const formatLines = (text: string): string[] =>
	text
		.split(/[\s,]+/)
		.filter((line) => line !== "")
		.map(withScheme);
