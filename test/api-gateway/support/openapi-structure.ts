const text = { type: 'string', minLength: 1 }
const content = { type: 'object', minProperties: 1, additionalProperties: { required: ['schema'] } }

/** The rules of OpenAPI 3.1 that the document uses. */
export const structure = {
  type: 'object',
  required: ['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components'],
  additionalProperties: false,
  properties: {
    openapi: { pattern: '^3\\.1\\.\\d+$' },
    info: {
      required: ['title', 'version', 'summary', 'description', 'license'],
      properties: {
        license: { required: ['name', 'identifier'], not: { required: ['url'] } },
      },
    },
    servers: { type: 'array', minItems: 1, items: { required: ['url'] } },
    security: { type: 'array', minItems: 1 },
    tags: { type: 'array', items: { required: ['name', 'description'], properties: { description: text } } },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: {
        type: 'object',
        minProperties: 1,
        propertyNames: { enum: ['get', 'put', 'post', 'delete', 'patch'] },
        additionalProperties: { $ref: '#/$defs/operation' },
      },
    },
    components: {
      additionalProperties: false,
      required: ['schemas', 'responses', 'headers', 'securitySchemes'],
      properties: {
        responses: { type: 'object', additionalProperties: { $ref: '#/$defs/answers' } },
        headers: { type: 'object', additionalProperties: { $ref: '#/$defs/header' } },
        schemas: { type: 'object', propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' } },
        securitySchemes: { type: 'object' },
      },
    },
  },
  $defs: {
    operation: {
      type: 'object',
      required: ['operationId', 'summary', 'description', 'tags', 'parameters', 'responses'],
      additionalProperties: false,
      properties: {
        operationId: { type: 'string', pattern: '^[a-z]+(_[A-Za-z0-9]+)+$' },
        summary: { type: 'string', pattern: '^[A-Z].*[^.]$', maxLength: 110 },
        description: { type: 'string', pattern: '^[A-Z].*[.]$' },
        tags: { type: 'array', minItems: 1, maxItems: 1 },
        security: { type: 'array' },
        parameters: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'in', 'description', 'required', 'schema'],
            additionalProperties: false,
            properties: {
              name: text,
              in: { enum: ['path', 'query', 'header'] },
              description: text,
              required: { type: 'boolean' },
              schema: {},
              example: {},
            },
            anyOf: [
              { properties: { in: { enum: ['query', 'header'] } } },
              { properties: { required: { const: true } } },
            ],
          },
        },
        requestBody: {
          required: ['required', 'content'],
          additionalProperties: false,
          properties: { required: { type: 'boolean' }, content },
        },
        responses: {
          type: 'object',
          propertyNames: { pattern: '^[2-5]\\d\\d$' },
          additionalProperties: {
            anyOf: [{ $ref: '#/$defs/reference' }, { $ref: '#/$defs/answers' }],
          },
        },
      },
    },
    answers: {
      type: 'object',
      required: ['description', 'headers'],
      additionalProperties: false,
      properties: {
        description: { type: 'string', pattern: '[.]$' },
        headers: {
          type: 'object',
          required: ['X-Request-Id'],
          additionalProperties: {
            anyOf: [{ $ref: '#/$defs/reference' }, { $ref: '#/$defs/header' }],
          },
        },
        content,
      },
    },
    header: {
      type: 'object',
      required: ['description', 'schema'],
      additionalProperties: false,
      properties: { description: text, required: { type: 'boolean' }, schema: {}, example: {} },
    },
    reference: {
      type: 'object',
      required: ['$ref'],
      additionalProperties: false,
      properties: { $ref: { type: 'string', pattern: '^#/components/' } },
    },
  },
}
