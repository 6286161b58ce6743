package main

import (
	"fmt"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// decodeRequest holds objects of Flux's own kinds.
type decodeRequest struct {
	Objects []map[string]interface{} `json:"objects"`
}

type decodeReport struct {
	Decoded int `json:"decoded"`
}

// decode reads objects into the types of Flux; it fails on a field that they do not have.
func decode(request decodeRequest) (decodeReport, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{kustomizev1.AddToScheme, sourcev1.AddToScheme} {
		if err := add(scheme); err != nil {
			return decodeReport{}, err
		}
	}
	for i, content := range request.Objects {
		kind := (&unstructured.Unstructured{Object: content}).GroupVersionKind()
		typed, err := scheme.New(kind)
		if err != nil {
			return decodeReport{}, fmt.Errorf("object %d: %w", i, err)
		}
		object, err := withIntegers(content)
		if err != nil {
			return decodeReport{}, err
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, typed, true); err != nil {
			return decodeReport{}, fmt.Errorf("object %d: %w", i, err)
		}
	}
	return decodeReport{Decoded: len(request.Objects)}, nil
}
